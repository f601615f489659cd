// Shows what Pagefind finds as one types. A file on disk may not load it: there, Sphinx searches.
const field = document.querySelector(".bd-search-container input[type=search]");
const shown = document.querySelector("#search-results");
const root = document.documentElement.dataset.content_root;

function sphinxSearch() {
  for (const name of ["_static/searchtools.js", "_static/language_data.js", "searchindex.js"]) {
    const script = document.createElement("script");
    script.src = root + name;
    script.async = false;
    document.body.append(script);
  }
}

function link(url, text) {
  const anchor = document.createElement("a");
  anchor.href = root + url.replace(/^\//, "");
  anchor.textContent = text;
  return anchor;
}

function excerpt(html) {
  const paragraph = document.createElement("p");
  paragraph.innerHTML = html; // Pagefind escapes the text, and marks the words
  return paragraph;
}

function entry(found) {
  const item = document.createElement("li");
  item.append(link(found.meta.address ?? found.url, found.meta.name ?? found.meta.title), excerpt(found.excerpt));
  const sections = document.createElement("ul");
  for (const section of found.sub_results.filter((part) => part.anchor).slice(0, 3)) {
    const line = document.createElement("li");
    line.append(link(section.url, section.title));
    sections.append(line);
  }
  item.append(sections);
  return item;
}

// The pages that have some of the words, those with the most of them first.
async function someWords(pagefind, words) {
  const found = new Map();
  for (const word of new Set(words.split(/\s+/))) {
    for (const result of (await pagefind.search(word)).results) {
      const { count, score } = found.get(result.id) ?? { count: 0, score: 0 };
      found.set(result.id, { count: count + 1, score: score + result.score, data: result.data });
    }
  }
  return [...found.values()].sort(
    (one, other) => other.count - one.count || other.score - one.score,
  );
}

async function search(pagefind, words) {
  const found = await pagefind.debouncedSearch(words, {}, 100);
  if (found === null) return; // another letter came
  const all = found.results.length || !/\S\s+\S/.test(words) || words.includes('"');
  const best = all ? found.results : await someWords(pagefind, words.trim());
  if (words !== field.value) return;
  const results = await Promise.all(best.slice(0, 20).map((result) => result.data()));
  const list = document.createElement("ul");
  list.className = "search";
  list.append(...results.map(entry));
  const count = document.createElement("p");
  if (words && !results.length) count.textContent = `Nothing has “${words}”.`;
  else if (!all) count.textContent = "No page has all of these words. These pages have some of them:";
  shown.replaceChildren(count, list);
}

try {
  const pagefind = await import(new URL(`${root}pagefind/pagefind.js`, document.baseURI));
  await pagefind.options({
    baseUrl: "/",
    excerptLength: 24,
    ranking: { termFrequency: 0.5, pageLength: 0.4, metaWeights: { title: 5, keywords: 10 } },
  });
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", () => search(pagefind, field.value));
  search(pagefind, field.value);
} catch {
  sphinxSearch();
}
