// Marks the words of the search that led to this page, without adding elements.
"use strict";

(() => {
const FOUND = "cjk_search_found"; // stored by searchtools.js

// A browser may forbid to store anything; then nothing is marked.
const take = () => {
  try {
    const words = JSON.parse(localStorage.getItem(FOUND) ?? "[]");
    localStorage.removeItem(FOUND);
    return words;
  } catch {
    return [];
  }
};

// A Latin word is marked from its beginning only.
const patternOf = (word) =>
  (/^[a-z0-9]/.test(word) ? "(?<![A-Za-z0-9])" : "") + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const rangesIn = (text, pattern) => [...text.data.matchAll(pattern)].map(({ 0: word, index }) => {
  const range = new Range();
  range.setStart(text, index);
  range.setEnd(text, index + word.length);
  return range;
});

const article = document.querySelector("article") ?? document.querySelector("[role=main]");
if (!article || !CSS.highlights || document.getElementById("search-results")) return;
// each word as it was typed, else as the page has it
const isThere = (pattern) => new RegExp(pattern, "iu").test(article.textContent);
const first = take().flatMap((forms) => forms.map(patternOf).find(isThere) ?? []);
if (!first.length) return;
const pattern = new RegExp(first.join("|"), "giu");
const highlight = new Highlight();
const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) rangesIn(texts.currentNode, pattern).forEach((range) => highlight.add(range));
CSS.highlights.set("found", highlight);
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") CSS.highlights.delete("found");
});
})();
