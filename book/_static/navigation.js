// The parts of the book fold in the sidebar; the part that holds the page is open.
for (const caption of document.querySelectorAll(".bd-links p.caption")) {
  const pages = caption.nextElementSibling;
  const button = document.createElement("button");
  button.append(...caption.childNodes);
  caption.append(button);
  const show = (shown) => {
    pages.hidden = !shown;
    button.setAttribute("aria-expanded", shown);
  };
  show(pages.querySelector(".current") !== null);
  button.addEventListener("click", () => show(pages.hidden));
}
