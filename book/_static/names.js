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
  const sections = [...new Set(rows.flatMap(({ row }) => around(row)))].map((section) => ({
    section,
    // Its lines in the page's contents, which a wide screen and a narrow one have each.
    lines: [...document.querySelectorAll(`li > a[href="#${section.id}"]`)].map((link) => link.parentElement),
  }));
  const answers = document.querySelector(".names-answers");
  const nothing = { find: () => new Map(), nearest: () => [] };
  const { find, nearest } = answers ? lookup(JSON.parse(document.querySelector("#names-asking").textContent)) : nothing;
  const none = form.querySelector(".names-none");
  const meaning = form.querySelector(".names-meaning");
  const moved = [];
  const chosen = (name) => form.elements[name]?.value ?? "";

  // The same lookup as that of the command: jaxvstorch/_port/map/lookup.py says what each step is for.
  function lookup({ rules, asked, owners, methodOwners, kin }) {
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

    return { find, nearest };

    // The names that answer, the best first, and why.
    function find(typed) {
      const text = meant(typed);
      const found = new Map();
      const because = (reason, list) => list.forEach((name) => {
        if (every.has(name) && !found.has(name)) found.set(name, reason);
      });
      if (!text) return found;
      const key = squeezed(text);
      because("", [text, ...(names.get(key) ?? [])]);
      because(`for “${text}”`, asked[key] ?? []);
      because("", text.startsWith(".") ? methodOwners.map((of) => of + text) : []);
      const dotted = text.replace(/^\.+/, "").includes(".");
      let same = bare.get(squeezed(last(text))) ?? [];
      if (dotted && kin[root(text)]) same = same.filter((name) => kin[root(text)].includes(root(name)));
      const reason = dotted ? `also called “${last(text)}”` : "";
      because(reason, same.filter((name) => last(name) === last(text)));
      because(reason, same.filter((name) => owners.includes(owner(name))));
      if (!names.has(key) && !asked[key]) {
        because(reason, same);
        if (!same.length && !typed.includes("(")) because(`begins with “${text}”`, beginning(key));
      }
      return found;
    }

    // Names that look like one that is not there.
    function nearest(typed) {
      const text = meant(typed);
      if (text.length <= 4) return [];
      const dotted = text.replace(/^\.+/, "").includes(".");
      const keys = dotted ? [...names.keys()] : [...bare.keys(), ...Object.keys(asked)];
      const named = (key) => (dotted ? names : bare).get(key)?.[0] ?? asked[key][0];
      return [...new Set(alike(squeezed(text), keys).map(named))];
    }

    function beginning(key) {
      if (key.length < 4 || key.includes(".")) return [];
      const found = [...bare].filter(([start]) => start.startsWith(key)).flatMap(([, same]) => same);
      return found.sort((a, b) => likeliest(a, b) || (a < b ? -1 : 1));
    }
  }

  // The three keys that share the most with one, as difflib in Python compares them.
  function alike(word, keys) {
    const close = keys
      .filter((key) => 2 * Math.min(key.length, word.length) >= 0.8 * (key.length + word.length))
      .map((key) => [(2 * shared(key, word)) / (key.length + word.length), key])
      .filter(([likeness]) => likeness >= 0.8);
    close.sort(([a, one], [b, other]) => b - a || (one < other ? 1 : -1));
    return close.slice(0, 3).map(([, key]) => key);
  }

  // The letters in the longest part that two words share, and in what is left and right of it.
  function shared(a, b) {
    let [size, endA, endB] = [0, 0, 0];
    let before = [];
    for (let i = 0; i < a.length; i++) {
      const now = [];
      for (let j = 0; j < b.length; j++) {
        if (a[i] !== b[j]) continue;
        now[j] = (before[j - 1] ?? 0) + 1;
        if (now[j] > size) [size, endA, endB] = [now[j], i + 1, j + 1];
      }
      before = now;
    }
    if (!size) return 0;
    return size + shared(a.slice(0, endA - size), b.slice(0, endB - size)) + shared(a.slice(endA), b.slice(endB));
  }

  // The best answers stand above the groups, each with its reason; without a question they go back.
  const raise = (first) => {
    for (const [row, gap] of moved.splice(0)) {
      row.querySelector(".why")?.remove();
      gap.replaceWith(row);
    }
    for (const [row, reason] of first) {
      const gap = document.createComment("");
      row.replaceWith(gap);
      moved.push([row, gap]);
      if (reason) row.append(Object.assign(document.createElement("span"), { className: "why", textContent: reason }));
      answers.append(row);
    }
    answers.hidden = !first.length;
  };

  const suggest = (typed, near) => {
    none.hidden = false;
    none.textContent = `The map has no “${typed}”.`;
    near.forEach((name, place) => {
      const link = Object.assign(document.createElement("a"), { href: `?q=${encodeURIComponent(name)}`, textContent: name });
      none.append(place === 0 ? " Did you mean " : place === near.length - 1 ? " or " : ", ", link);
    });
    if (near.length) none.append("?");
  };

  const show = () => {
    if (answers) raise([]);
    const typed = chosen("name");
    const word = typed.trim().toLowerCase();
    const best = find(typed);
    const named = rows.filter(({ row, text }) => best.has(row.id) || text.includes(word));
    const fitting = named.filter(({ row, kinds }) =>
      (!chosen("framework") || row.dataset.of === chosen("framework"))
        && (!chosen("verdict") || row.classList.contains(chosen("verdict")))
        && (!chosen("kind") || kinds.includes(chosen("kind"))));
    const fits = new Set(fitting.map(({ row }) => row));
    for (const { row } of rows) row.hidden = !fits.has(row);
    if (answers) {
      const ranks = [...best.keys()].filter((name) => fits.has(document.getElementById(name)));
      raise(ranks.slice(0, 12).map((name) => [document.getElementById(name), best.get(name)]));
      none.hidden = true;
      if (!named.length) suggest(typed.trim(), nearest(typed));
      meaning.textContent = form.elements.kind.selectedOptions[0].title;
      meaning.hidden = !meaning.textContent;
    }
    for (const { section, lines } of sections) {
      section.hidden = !section.querySelector(".name:not([hidden])");
      for (const line of lines) line.hidden = section.hidden;
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
