// The field of the map of names, and of the index of errors: shows what fits as one types.
const form = document.querySelector(".names-filter");
if (form) {
  const rows = [...document.querySelectorAll(".name[data-kinds]")].map((row) => ({
    row,
    kinds: row.dataset.kinds.split("|"),
    text: `${row.textContent} ${row.dataset.also ?? ""}`.toLowerCase(),
  }));
  const around = (row) => {
    const sections = [];
    for (let section = row.closest("section"); section?.parentElement.closest("section");) {
      sections.push(section);
      section = section.parentElement.closest("section");
    }
    return sections;
  };
  const sections = [...new Set(rows.flatMap(({ row }) => around(row)))];
  const answers = document.querySelector(".names-answers");
  const find = answers ? finder(JSON.parse(document.querySelector("#names-asking").textContent)) : () => [];
  const chosen = (name) => form.elements[name]?.value ?? "";

  // The same lookup as that of the command: jaxvstorch/_port/map/lookup.py says what each step is for.
  function finder({ rules, asked, owners, methodOwners, kin }) {
    const last = (name) => name.slice(name.lastIndexOf(".") + 1);
    const root = (name) => name.split(".", 1)[0];
    const owner = (name) => name.slice(0, Math.max(0, name.lastIndexOf(".")));
    const squeezed = (text) => text.replace(/[\s_-]/g, "").toLowerCase();
    const place = (name) => (owners.indexOf(owner(name)) + owners.length + 1) % (owners.length + 1);
    const likeliest = (a, b) => place(a) - place(b) || a.length - b.length;
    const add = (table, key, name) => table.set(key, [...(table.get(key) ?? []), name]);
    const every = new Set(rows.map(({ row }) => row.id));
    const names = new Map();
    const bare = new Map();
    for (const name of every) {
      add(names, squeezed(name), name);
      add(bare, squeezed(last(name)), name);
    }
    for (const same of bare.values()) same.sort(likeliest);

    const meant = (typed) => rules.reduce((text, [pattern, to]) => text.replace(new RegExp(pattern, "g"), to), typed.trim());

    return (typed) => {
      const text = meant(typed);
      if (!text) return [];
      const key = squeezed(text);
      const exact = [...(names.get(key) ?? []), ...(asked[key] ?? [])];
      const methods = text.startsWith(".") ? methodOwners.map((of) => of + text) : [];
      const dotted = text.replace(/^\.+/, "").includes(".");
      let same = bare.get(squeezed(last(text))) ?? [];
      if (dotted && kin[root(text)]) same = same.filter((name) => kin[root(text)].includes(root(name)));
      const found = [
        ...(every.has(text) ? [text] : []),
        ...exact,
        ...methods,
        ...same.filter((name) => last(name) === last(text)),
        ...same.filter((name) => owners.includes(owner(name))),
      ];
      if (!exact.length) found.push(...(same.length || typed.includes("(") ? same : beginning(key)));
      return [...new Set(found)].filter((name) => every.has(name));
    };

    function beginning(key) {
      if (key.length < 4 || key.includes(".")) return [];
      const found = [...bare].filter(([start]) => start.startsWith(key)).flatMap(([, same]) => same);
      return found.sort((a, b) => likeliest(a, b) || (a < b ? -1 : 1));
    }
  }

  const show = () => {
    const typed = chosen("name");
    const word = typed.trim().toLowerCase();
    const best = find(typed);
    const ranks = new Map(best.map((name, rank) => [name, rank]));
    const fitting = rows.filter(({ row, kinds, text }) =>
      (ranks.has(row.id) || text.includes(word))
        && (!chosen("framework") || row.dataset.of === chosen("framework"))
        && (!chosen("verdict") || row.classList.contains(chosen("verdict")))
        && (!chosen("kind") || kinds.includes(chosen("kind"))));
    const fits = new Set(fitting.map(({ row }) => row));
    for (const { row } of rows) row.hidden = !fits.has(row);
    for (const section of sections) {
      section.hidden = !section.querySelector(".name:not([hidden])");
    }
    // The best answers stand first, above the groups.
    if (answers) {
      const first = fitting.filter(({ row }) => ranks.has(row.id)).sort((a, b) => ranks.get(a.row.id) - ranks.get(b.row.id));
      answers.replaceChildren(...first.slice(0, 12).map(({ row }) => {
        const copy = row.cloneNode(true);
        copy.dataset.answer = copy.id;
        copy.removeAttribute("id");
        return copy;
      }));
      answers.hidden = !first.length;
    }
    form.querySelector("output").textContent = `${fitting.length} of ${rows.length} ${form.dataset.what ?? "names"}`;
  };

  const keep = () => {
    const address = new URL(location.href);
    address.searchParams.delete("q");
    if (chosen("name")) address.searchParams.set("q", chosen("name"));
    address.hash = "";
    history.replaceState(null, "", address);
  };

  // A name in the address is shown, also where the field would hide it.
  const arrive = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row?.matches(".name")) return;
    if (row.hidden) {
      form.reset();
      show();
    }
    row.scrollIntoView();
  };

  form.elements.name.value = new URLSearchParams(location.search).get("q") ?? "";
  form.addEventListener("input", () => {
    show();
    keep();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", arrive);
  show();
  if (chosen("name")) form.scrollIntoView();
  arrive();
}
