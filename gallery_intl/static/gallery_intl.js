// Keep the reader's section, or the query, when the language changes; remember the
// choice for the page that offers the languages; close the menu on Escape; mark what was
// searched.

// The address of what is on the screen: the reader's own target while it can be seen,
// else the section whose heading stands above the middle. Names of sections are the
// same in all languages.
function section() {
  const own = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const box = own?.getBoundingClientRect();
  if (box && box.bottom > 0 && box.top < innerHeight) return location.hash;
  const begun = [...document.querySelectorAll("article section[id]")].filter(
    (part) => part.getBoundingClientRect().top < innerHeight / 2,
  );
  // the first is the whole page
  return begun.length > 1 ? `#${begun.at(-1).id}` : "";
}

// A reader's browser may forbid to store anything; then a choice holds for one page.
function withStorage(use) {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest(".language-menu a");
  if (link) {
    const query = new URLSearchParams(location.search).get("q");
    if (query) link.search = new URLSearchParams({ q: query });
    link.hash = section();
    withStorage((storage) => storage.setItem("language", link.hreflang));
  }
  for (const menu of document.querySelectorAll(".language-menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  CSS.highlights?.delete("found");
  for (const menu of document.querySelectorAll(".language-menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// The words of the search that led here, in the text of the page: no element is added.
const markFound = () => {
  const needs = JSON.parse(withStorage((storage) => storage.getItem("gallery_intl_found")) ?? "[]");
  withStorage((storage) => storage.removeItem("gallery_intl_found"));
  const article = document.querySelector("article");
  if (!needs.length || !article || !CSS.highlights) return;
  // each as it was typed, else as the page says it; a name from its beginning only
  const patternOf = (word) =>
    (/^[a-z0-9]/.test(word) ? "(?<![A-Za-z0-9])" : "") + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const isThere = (pattern) => new RegExp(pattern, "iu").test(article.textContent);
  const first = needs.flatMap((forms) => forms.map(patternOf).find(isThere) ?? []);
  if (!first.length) return;
  const found = new RegExp(first.join("|"), "giu");
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const ranges = [];
  while (texts.nextNode()) {
    for (const { 0: word, index } of texts.currentNode.data.matchAll(found)) {
      const range = new Range();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
};
if (!document.getElementById("search-results")) markFound();
