// Added to Sphinx's language_data.js behind search.js: shows what that finds. Sphinx reads
// the query and the index, and calls Search.query.

(() => {
const { needsOf, rank, index, normal, pairsOf, escaped } = gallerySearch;
const hasSnippets = location.protocol !== "file:" && DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY;

const MOST_PAGES = { whole: 50, part: 8 };
const MOST_SECTIONS = 3; // of a page
const NEAR = 0.6; // of the score of a page's best section, has another that is shown
const AT_ONCE = 2; // pages that are fetched for snippets
const LENGTH = 240; // letters of a snippet
const BEFORE = 60; // of them, before the word that was found
const FOUND = "gallery_intl_found"; // for the page that is opened next: gallery_intl.js

// A reader's browser may forbid to store anything; then nothing is marked.
const withStorage = (use) => { try { use(localStorage); } catch { /* it is forbidden */ } };

// What is found: {docname, title, anchor, note, isPart}, the best first.
Search.find = (query) => {
  const needs = needsOf(query);
  const names = new Set(needs.map(({ typed }) => typed));
  const objects = [...names].flatMap((name) => Search.performObjectSearch(name, names));
  objects.sort((a, b) => b[4] - a[4]);
  return [...objects.map(resultOfObject), ...rank(needs).flatMap(resultsOfPage)];
};

const resultOfObject = ([docname, title, anchor, note]) => ({ docname, title, anchor, note });

const resultsOfPage = ({ page, isPart, sections }) => {
  const [docname, , [[, name]]] = index().pages[page];
  const near = sections.filter(({ score }) => score >= NEAR * sections[0].score);
  return near.slice(0, MOST_SECTIONS).map(({ id, title }) => ({
    docname, isPart, anchor: id && `#${id}`, title: id ? `${name} > ${title}` : name,
  }));
};

Search.query = (query) => {
  const results = Search.find(query);
  const whole = firstPages(results.filter(({ isPart }) => !isPart), MOST_PAGES.whole);
  const part = firstPages(results.filter(({ isPart }) => isPart), MOST_PAGES.part);
  const { some, nothing, missing } = Search._index.ours.said;
  const words = marksOf(query);
  withStorage((storage) => storage.removeItem(FOUND)); // the marks of the query before
  Search.stopPulse();
  Search.title.textContent = _("Search Results");
  Search.status.setAttribute("role", "status");
  Search.status.textContent = whole.length ? countOf(whole) : part.length ? some : nothing;
  show(whole, words);
  if (whole.length && part.length) say(some);
  show(part, words);
  if (!results.length) showPages();
  if (!whole.length && missing) say(missing);
};

const firstPages = (results, most) => {
  const pages = [...new Set(results.map(({ docname }) => docname))].slice(0, most);
  return results.filter(({ docname }) => pages.includes(docname));
};

const countOf = (results) => {
  const count = new Set(results.map(({ docname }) => docname)).size;
  return Documentation.ngettext(
    "Search finished, found one page matching the search query.",
    "Search finished, found ${resultCount} pages matching the search query.",
    count,
  ).replace("${resultCount}", count);
};

const say = (text) => {
  const line = Search.output.parentNode.appendChild(document.createElement("p"));
  line.textContent = text;
};

// What there is to read, where nothing is found.
const showPages = () =>
  index().pages.filter(([, kind]) => kind === "page").forEach(([docname, , [[, title]]]) =>
    Search.output.appendChild(itemOf({ docname, title, anchor: "" })));

// The second list stands behind what is said between them.
const show = (results, words) => {
  if (!results.length) return;
  if (Search.output.childElementCount)
    Search.output = Search.output.parentNode.appendChild(Search.output.cloneNode(false));
  results.forEach((result) => {
    const item = Search.output.appendChild(itemOf(result));
    for (const click of ["click", "auxclick"])
      item.querySelector("a").addEventListener(click, () => remember(words));
    if (hasSnippets) showSnippet(item, result, words);
  });
};

const showSnippet = (item, { docname, anchor }, words) => {
  item.classList.add("awaits-snippet"); // its place is kept
  whenSeen(item, async () => {
    item.append(snippetOf(await pageAt(addressOf(docname)), words, anchor));
    item.classList.remove("awaits-snippet");
  });
};

const itemOf = ({ docname, title, anchor, note }) => {
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = addressOf(docname) + anchor;
  link.textContent = uncut(title);
  if (note) item.append(` (${note})`);
  return item;
};

// No line ends inside a word that a language has given.
const uncut = (title) => Search._index.ours.unbroken.reduce(
  (text, word) => text.replaceAll(word, [...word].join("\u2060")), title);

const addressOf = (docname) => {
  const root = document.documentElement.dataset.content_root;
  const { BUILDER, LINK_SUFFIX } = DOCUMENTATION_OPTIONS;
  if (BUILDER !== "dirhtml") return root + docname + LINK_SUFFIX;
  return root + `${docname}/`.replace(/(^|\/)index\/$/, "$1");
};

// For each need the words that are marked: as they were typed, or as the pages say it.
const marksOf = (query) => needsOf(query).map(({ typed, texts }) =>
  [typed, ...texts.map((words) => words.join(" "))].filter((word) => word.length > 1));

const remember = (words) =>
  withStorage((storage) => storage.setItem(FOUND, JSON.stringify(words)));

// Snippets: each page is fetched once, when one of its results is seen.

const pages = new Map();
const waiting = [];
let running = 0;

const pageAt = (address) => {
  if (!pages.has(address)) {
    pages.set(address, new Promise((done) => waiting.push(async () => done(await read(address)))));
    next();
  }
  return pages.get(address);
};

const read = async (address) => {
  const answer = await fetch(address).catch(() => null);
  const text = answer?.ok ? await answer.text() : "";
  return new DOMParser().parseFromString(text, "text/html");
};

const next = async () => {
  if (running === AT_ONCE || !waiting.length) return;
  running += 1;
  await waiting.shift()();
  running -= 1;
  next();
};

const whenSeen = (item, action) => {
  const observer = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    observer.disconnect();
    action();
  }, { rootMargin: "200px" });
  observer.observe(item);
};

// The place in a section that has most of the words, else a part of one; prose before code.
const snippetOf = (page, words, anchor) => {
  const texts = [textOf(page, anchor, ".highlight"), textOf(page, anchor, "script")];
  const found = (text) =>
    words.map((forms) => forms.find((word) => normal(text).includes(word))).filter(Boolean);
  const text = texts.find((one) => found(one).length) ?? texts[0] ?? "";
  const start = Math.max(placeOf(normal(text), found(text), words.flat()) - BEFORE, 0);
  const end = start + LENGTH;
  const snippet = document.createElement("p");
  snippet.className = "context";
  snippet.append(start ? "…" : "", ...marked(text.slice(start, end), found(text)));
  snippet.append(end < text.length ? "…" : "");
  return snippet;
};

const placeOf = (text, found, words) => {
  const places = found.map((word) => text.indexOf(word));
  const near = (place) => places.filter((other) => other >= place && other < place + LENGTH / 2);
  if (places.length) return places.sort((a, b) => near(b).length - near(a).length || a - b)[0];
  const pairs = words.filter((word) => !/^[a-z]/.test(word)).flatMap(pairsOf);
  return text.indexOf(pairs.find((pair) => text.includes(pair)) ?? "");
};

const textOf = (page, anchor, left) => {
  const main = page.querySelector("[role=main] article") ?? page.querySelector("[role=main]");
  const start = main?.querySelector("section") ?? main;
  const place = anchor ? page.getElementById(anchor.slice(1)) : start;
  const section = place?.cloneNode(true);
  section?.querySelectorAll(`section, h1, h2, h3, h4, h5, h6, .no-search, .headerlink, ${left}`)
    .forEach((one) => one.remove());
  return (section?.textContent ?? "").replace(/\s+/g, " ").trim();
};

// A name from its beginning only.
const patternOfMark = (word) =>
  (/^[a-z0-9]/.test(word) ? "(?<![A-Za-z0-9])" : "") + escaped(word);

const marked = (text, words) => {
  if (!words.length) return [text];
  return text.split(new RegExp(`(${words.map(patternOfMark).join("|")})`, "giu")).map((part, i) => {
    if (i % 2 === 0) return part;
    const mark = document.createElement("span");
    mark.className = "highlighted";
    mark.textContent = part;
    return mark;
  });
};

gallerySearch.snippetOf = snippetOf;
})();
