// Shows the results of a search. This takes the place of Sphinx's script of the same
// name; the index and the ranking are loaded from here.
"use strict";

const Search = (() => {
const SCRIPTS = ["cjk-search-index.js", "cjk-search-engine.js"];
const MOST_PAGES = { whole: 50, part: 8 };
const MOST_SECTIONS = 3; // of a page
const NEAR = 0.6; // least score of another section, relative to the best of the page
const LENGTH = 240; // of a snippet, in characters
const BEFORE = 60; // characters of a snippet before the first match
const FOUND = "cjk_search_found"; // read by cjk-search-marks.js on the next page

const folder = new URL(".", document.currentScript.src); // _static
const root = new URL("..", folder);
const hasSnippets = () => location.protocol !== "file:" && cjkSearchIndex.snippets;

let engine = null; // what cjk-search-engine.js can do, once it is loaded
let waiting = null; // the query until then

const init = () => {
  const query = new URLSearchParams(location.search).get("q");
  document.querySelectorAll('input[name="q"]').forEach((field) => (field.value = query));
  if (query) performSearch(query);
};

const setEngine = (loaded) => {
  engine = loaded;
  if (waiting !== null) showResults(waiting);
};

const performSearch = (query) => {
  const out = document.getElementById("search-results");
  out.replaceChildren(make("h2", _("Searching")), make("p", "", "search-summary"), makeList());
  waiting = query;
  if (engine) showResults(query);
};

const make = (name, text, className = "") => {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
};

const makeList = () => {
  const list = make("ul", "", "search");
  list.setAttribute("role", "list"); // Safari needs it where lists have no bullets
  return list;
};

// Pages {page, isPart, sections}, the best first; isPart: without some of the words.
const rankedPages = (query) => engine.rank(engine.needsOf(query));

// Results {address, title, anchor, isPart}.
const find = (query) => rankedPages(query).flatMap(resultsOfPage);

const resultsOfPage = ({ page, isPart, sections }) => {
  const [address, , , [[, name]]] = cjkSearchIndex.pages[page];
  const near = sections.filter(({ score }) => score >= NEAR * sections[0].score);
  return near.slice(0, MOST_SECTIONS).map(({ id, title }) => ({
    address, isPart, anchor: id && `#${id}`, title: id ? `${name} > ${title}` : name,
  }));
};

const showResults = (query) => {
  waiting = null;
  const out = document.getElementById("search-results");
  const [title, summary, list] = out.children;
  const pages = rankedPages(query);
  const whole = pages.filter(({ isPart }) => !isPart).slice(0, MOST_PAGES.whole);
  const part = pages.filter(({ isPart }) => isPart).slice(0, MOST_PAGES.part);
  const { one, many, some, nothing, missing } = cjkSearchIndex.messages;
  const count = whole.length === 1 ? one : many.replace("${resultCount}", whole.length);
  const words = marksOf(query);
  const itemsOf = (found) => found.flatMap(resultsOfPage).map((result) => itemOf(result, words));
  withStorage((storage) => storage.removeItem(FOUND)); // of the query before
  title.textContent = _("Search Results");
  summary.setAttribute("role", "status");
  summary.textContent = whole.length ? count : part.length ? some : nothing;
  list.append(...itemsOf(whole));
  if (whole.length && part.length) out.append(make("p", some), makeList());
  out.lastChild.append(...itemsOf(part));
  if (!pages.length) list.append(...allPages().map((page) => itemOf(page, [])));
  if (!whole.length && missing) out.append(make("p", missing));
};

// The pages that have a subject, where nothing is found.
const allPages = () =>
  cjkSearchIndex.pages.filter(([, kind]) => kind === "page")
    .map(([address, , , [[, title]]]) => ({ address, title, anchor: "" }));

const itemOf = (result, words) => {
  const { address, title, anchor } = result;
  const item = make("li", "");
  const link = item.appendChild(make("a", uncut(title)));
  link.href = new URL(address + anchor, root);
  for (const click of ["click", "auxclick"]) link.addEventListener(click, () => remember(words));
  if (words.length && hasSnippets()) showSnippet(item, result, words);
  return item;
};

// No line ends inside the words that a project names.
const uncut = (title) => cjkSearchIndex.unbroken.reduce(
  (text, word) => text.replaceAll(word, [...word].join("\u2060")), title);

// For each need the words to mark: as they were typed, or as pages have them.
const marksOf = (query) => engine.needsOf(query).map(({ typed, texts }) =>
  [typed, ...texts.map((words) => words.join(" "))].filter((word) => word.length > 1));

const remember = (words) =>
  withStorage((storage) => storage.setItem(FOUND, JSON.stringify(words)));

// A browser may forbid to store anything; then nothing is marked.
const withStorage = (use) => { try { use(localStorage); } catch { /* forbidden */ } };

// Snippets: each page is fetched once, when one of its results becomes visible.

const pages = new Map();

const showSnippet = (item, { address, anchor }, words) => {
  item.classList.add("awaits-snippet"); // space is reserved
  whenVisible(item, async () => {
    item.append(snippetOf(await pageAt(new URL(address, root)), words, anchor));
    item.classList.remove("awaits-snippet");
  });
};

const whenVisible = (item, action) => {
  const observer = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    observer.disconnect();
    action();
  }, { rootMargin: "200px" });
  observer.observe(item);
};

const pageAt = ({ href }) => pages.get(href) ?? pages.set(href, fetchPage(href)).get(href);

const fetchPage = async (address) => {
  const answer = await fetch(address).catch(() => null);
  const text = answer?.ok ? await answer.text() : "";
  return new DOMParser().parseFromString(text, "text/html");
};

// The place of a section with most of the words, else with a part of one; prose first.
const snippetOf = (page, words, anchor) => {
  const texts = [textOf(page, anchor, ".highlight"), textOf(page, anchor, "script")];
  const found = (text) =>
    words.map((forms) => forms.find((word) => engine.normal(text).includes(word))).filter(Boolean);
  const text = texts.find((one) => found(one).length) ?? texts[0];
  const start = Math.max(placeOf(engine.normal(text), found(text), words.flat()) - BEFORE, 0);
  const end = start + LENGTH;
  const snippet = make("p", start ? "…" : "", "context");
  snippet.append(...marked(text.slice(start, end), found(text)), end < text.length ? "…" : "");
  return snippet;
};

const placeOf = (text, found, words) => {
  const places = found.map((word) => text.indexOf(word));
  const near = (place) => places.filter((other) => other >= place && other < place + LENGTH / 2);
  if (places.length) return places.sort((a, b) => near(b).length - near(a).length || a - b)[0];
  const pairs = words.filter((word) => !/^[a-z]/.test(word)).flatMap(engine.pairsOf);
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

// A Latin word is marked from its beginning only.
const patternOf = (word) => (/^[a-z0-9]/.test(word) ? "(?<![A-Za-z0-9])" : "") + engine.escaped(word);

const marked = (text, words) => {
  if (!words.length) return [text];
  const parts = text.split(new RegExp(`(${words.map(patternOf).join("|")})`, "giu"));
  return parts.map((part, i) => (i % 2 ? make("span", part, "highlighted") : part));
};

for (const name of SCRIPTS) {
  const script = document.createElement("script");
  script.src = new URL(name, folder);
  script.async = false; // one after the other
  document.head.append(script);
}
_ready(init);

return {
  find, performSearch, setEngine, snippetOf,
  hasIndex: () => engine !== null,
  engine: () => engine,
  setIndex: () => {}, // called by Sphinx's searchindex.js, which has no words
  loadIndex: () => {}, // called by some themes, to load that
};
})();
