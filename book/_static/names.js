// The filter of the map of names: shows what fits as one types. A name opens at its address.
const form = document.querySelector(".names-filter");
if (form) {
  const names = [...document.querySelectorAll(".name[data-also]")].map((row) => ({
    row,
    kinds: row.dataset.kinds.split("|"),
    text: `${(row.querySelector("summary") ?? row).textContent} ${row.dataset.also}`.toLowerCase(),
  }));
  const sections = [...new Set(names.map(({ row }) => row.closest("section")))];
  const short = { "f.": "nn.functional.", "torch.tensor.": "tensor.", "jax.numpy.": "jnp.", "jax.lax.": "lax.", "flax.nnx.": "nnx." };

  const wanted = (typed) => {
    const word = typed.trim().toLowerCase().replace(/\(\)$/, "");
    const start = Object.keys(short).find((prefix) => word.startsWith(prefix));
    return start ? short[start] + word.slice(start.length) : word;
  };

  const show = () => {
    const word = wanted(form.elements.name.value);
    const verdict = form.elements.verdict.value;
    const kind = form.elements.kind.value;
    let count = 0;
    for (const { row, kinds, text } of names) {
      const fits = text.includes(word)
        && (!verdict || row.classList.contains(verdict))
        && (!kind || kinds.includes(kind));
      row.hidden = !fits;
      count += fits;
    }
    for (const section of sections) {
      section.hidden = !section.querySelector(".name:not([hidden])");
    }
    form.querySelector("output").textContent = `${count} of ${names.length} ${form.dataset.what ?? "names"}`;
  };

  const open = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row?.matches(".name")) return;
    if (row.hidden) {
      form.reset();
      show();
    }
    row.open = true;
    row.scrollIntoView();
  };

  for (const { row } of names) {
    row.addEventListener("toggle", () => {
      if (row.open) history.replaceState(null, "", `#${row.id}`);
    });
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", open);
  show();
  open();
}
