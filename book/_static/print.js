// Paper is light: the theme would print a dark page's pale letters without their background.
let mode;
addEventListener("beforeprint", () => {
  mode = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = mode;
});
