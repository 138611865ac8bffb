// Shows the results of a search. This takes the place of Sphinx's script of the same
// name; the index and the ranking are loaded from here.
"use strict";

const Search = (() => {
const SCRIPTS = ["cjk-search-index.js", "cjk-search-engine.js"];
const MOST_PAGES = { whole: 50, part: 8 };
const MOST_TYPED = 5; // results while the reader types
const PAUSE = 200; // milliseconds between two letters
const PHRASE = [4, 30]; // words of a message: at least in a row, at most compared
const MOST_SECTIONS = 3; // of a page
const NEAR = 0.6; // least score of another section, relative to the best of the page
const LENGTH = 240; // of a snippet, in characters
const BEFORE = 60; // characters of a snippet before the first match
const FOUND = "cjk_search_found"; // read by cjk-search-marks.js on the next page

const folder = new URL(".", document.currentScript.src); // _static
const root = new URL("..", folder);
const hasSnippets = () => location.protocol !== "file:" && cjkSearchIndex.snippets;

let engine = null; // what cjk-search-engine.js can do, once it is loaded
let asked = null; // the query

const init = () => {
  if (!document.getElementById("search-results")) showTyped();
  const query = new URLSearchParams(location.search).get("q");
  if (!query) return;
  document.querySelectorAll('input[name="q"]').forEach((field) => (field.value = query));
  performSearch(query);
};

// Results while the reader types in the search dialog of a theme.
const showTyped = () => {
  const field = document.querySelector("dialog input[name=q]");
  if (!field) return;
  const dialog = field.closest("dialog");
  const out = make("section");
  out.id = "search-results";
  field.form.after(out);
  let timer = 0;
  const show = () => {
    const query = field.value.trim();
    out.hidden = !query;
    if (query && query !== asked) performSearch(query); // the focus may be in the results
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, PAUSE);
  });
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") dialog.close();
    if (!step || event.isComposing) return;
    const places = [field, ...out.querySelectorAll("a")];
    places[places.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
  });
  show();
};

const setEngine = (loaded) => {
  engine = loaded;
  if (asked) showResults(asked);
};

const performSearch = (query) => {
  const out = document.getElementById("search-results");
  const summary = make("p", "", "search-summary");
  summary.setAttribute("role", "status");
  if (!out.firstChild) out.append(make("h2", _("Searching")), summary, make("div"));
  asked = query;
  if (engine) showResults(query);
};

const make = (name, text = "", className = "") => {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
};

const makeList = (items) => {
  const list = make("ul", "", "search");
  list.setAttribute("role", "list"); // Safari needs it where lists have no bullets
  list.append(...items);
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

const showResults = async (query) => {
  const out = document.getElementById("search-results");
  const [title, summary, shown] = out.children;
  const form = out.closest("dialog")?.querySelector("form"); // the reader types
  const pages = rankedPages(query);
  const phrase = await longestPhrase(query, pages.slice(0, MOST_PAGES.part));
  if (query !== asked) return;
  const words = marksOf(query);
  const texts = cjkSearchIndex.messages;
  const whole = pages.filter(({ isPart }) => !isPart).slice(0, MOST_PAGES.whole);
  const part = pages.filter(({ isPart }) => isPart).slice(0, MOST_PAGES.part);
  const resultsOf = (found) =>
    found.flatMap((page) => resultsOfPage(page).slice(0, form ? 1 : MOST_SECTIONS));
  const others = (found) => resultsOf(found.filter((page) => !phrase.pages.includes(page)));
  const lists = [
    [texts.phrase.replace("${words}", phrase.words), resultsOf(phrase.pages)],
    [phrase.words && texts.others, others(whole)],
    [texts.some, others(part)],
    [texts.pages, pages.length ? [] : allPages()],
  ].filter(([, results]) => results.length);
  withStorage((storage) => storage.removeItem(FOUND)); // of the query before
  title.textContent = _("Search Results");
  summary.textContent = whole.length > 1 ? texts.many.replace("${resultCount}", whole.length)
    : whole.length ? texts.one : texts.none;
  shown.replaceChildren(...definitionFor(query));
  let left = form ? MOST_TYPED : Infinity;
  for (const [heading, results] of lists) {
    if (left > 0 && heading) shown.append(make("p", heading));
    const items = results.slice(0, left).map((result) => itemOf(result, form ? [] : words));
    if (items.length) shown.append(makeList(items));
    left -= items.length;
  }
  if (form) shown.append(linkTo(`${form.action}?${new URLSearchParams({ q: query })}`, texts.all));
  else if (!whole.length && texts.missing) shown.append(make("p", texts.missing));
};

const linkTo = (address, text) => {
  const link = make("a", text);
  link.href = new URL(address, root);
  return link;
};

const definitionFor = (query) => {
  const [names, text, address] = engine.definitionOf(engine.needsOf(query)) ?? [];
  if (!names) return [];
  const definition = make("p", "", "search-definition");
  definition.append(linkTo(address, names[0]), `: ${text}`);
  return [definition];
};

// A message that was pasted: the pages that have the most of its words in a row.
const longestPhrase = async (query, pages) => {
  const wordsIn = (text) => engine.normal(text).match(/[\p{L}\p{N}_]+/gu) ?? [];
  const words = wordsIn(query).slice(0, PHRASE[1]);
  if (words.length < PHRASE[0] || !hasSnippets()) return { words: "", pages: [] };
  const texts = await Promise.all(pages.map(async ({ page }) => {
    const { body } = await pageAt(new URL(cjkSearchIndex.pages[page][0], root));
    return ` ${wordsIn(body.querySelector("[role=main]")?.textContent ?? "").join(" ")} `;
  }));
  for (let length = words.length; length >= PHRASE[0]; length -= 1)
    for (let at = 0; at + length <= words.length; at += 1) {
      const phrase = words.slice(at, at + length).join(" ");
      const found = pages.filter((_page, i) => texts[i].includes(` ${phrase} `));
      if (found.length) return { words: phrase, pages: found };
    }
  return { words: "", pages: [] };
};

// The pages that have a subject, where nothing is found.
const allPages = () =>
  cjkSearchIndex.pages.filter(([, kind]) => kind === "page")
    .map(([address, , , [[, title]]]) => ({ address, title, anchor: "" }));

const itemOf = (result, words) => {
  const { address, title, anchor } = result;
  const item = make("li");
  const link = item.appendChild(linkTo(address + anchor, uncut(title)));
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
