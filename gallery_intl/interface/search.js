// Added to Sphinx's language_data.js. Sphinx calls splitQuery for the words of a query;
// methods of its Search are replaced, because its own can only ask for whole words.

(() => {
// From a disk no page is read for its snippet: none is asked for, nor its place kept.
const fromDisk = location.protocol === "file:";
if (fromDisk) DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
document.documentElement.classList.toggle("has-snippets", !fromDisk);

const letters = `[${searchKnows.letters}]`;
const hyphened = `(?:(?!${letters})[\\p{L}\\p{N}_])+(?:-(?:(?!${letters})[\\p{L}\\p{N}_])+)*`;
const runs = new RegExp(`${letters}+|${hyphened}`, "gu");
const isPaired = new RegExp(`^${letters}{2,}$`, "u");
const hasLetter = new RegExp(letters, "u");
const particle = new RegExp(`^(${letters}{2,}?)(?:${searchKnows.particles || "$^"})$`, "u");
const isFiller = new RegExp(`^[${searchKnows.fillers}]+$`, "u");
const modules = /(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_]\w{2})/g; // torch.nn. before a name

const normal = (text) => text.normalize("NFKC").toLowerCase();
const bare = (name) => name.replace(/[-_+]/g, "");
const marks = (term) => term.length - term.replace(/\++$/, "").length + 1;

// Words as they were typed, without particles: Sphinx also marks them on the page.
const splitQuery = window.splitQuery = (query) => {
  let text = query.normalize("NFKC").replace(modules, "");
  for (const [typed, ours] of Object.entries(searchKnows.synonyms)) text = text.replaceAll(typed, ours);
  const found = text.match(runs) || [];
  const told = found.filter((run) => !isFiller.test(run));
  return (told.length ? told : found).map((run) => run.replace(particle, "$1"));
};

const pairsOf = (word) => [...word].slice(1).map((letter, i) => [...word][i] + letter);

// How well something has a word, from 0. A compound may be written as several words, so
// not each of its pairs must be there, but each of its letters in one of them.
const shareOf = (word, strength) => {
  const [first, ...others] = word.split("-");
  if (others.length)
    return Math.max(strength(word), Math.min(...[first, ...others].map(strength)) / 4);
  if (!isPaired.test(word)) return strength(word);
  const found = pairsOf(word).map(strength);
  const needed = (letter) => isFiller.test(word) || !isFiller.test(letter);
  const isThere = (letter, i) => found[i - 1] || found[i] || !needed(letter);
  if (![...word].every(isThere)) return 0;
  const mean = found.reduce((a, b) => a + b) / found.length;
  return found.includes(0) ? mean / 2 : mean;
};

// Pages and how well each has a pair or name: 1, more for its main words (+, ++), less
// for a name that was typed in part, or without its underscores.
const pagesOf = (piece) => {
  const pages = new Map();
  const add = (files, strength) =>
    [files ?? []].flat().forEach((file) =>
      pages.set(file, Math.max(pages.get(file) ?? 0, strength)));
  const partly = !isPaired.test(piece) && (piece.length > 2 || hasLetter.test(piece));
  for (const terms of [Search._index.terms, Search._index.titleterms]) {
    ["", "+", "++"].forEach((mark, i) => add(terms[piece + mark], i + 1));
    for (const term of partly ? Object.keys(terms) : [])
      if (bare(term).includes(bare(piece)))
        add(terms[term], marks(term) * (bare(term) === bare(piece) ? 0.9 : 0.5));
  }
  return pages;
};

// How well a title names a word, which is stemmed if the language has a stemmer. What
// stands first is the subject.
const shareOfTitle = (word, title) => {
  const text = normal(title);
  const words = splitQuery(title).map((w) => new Stemmer().stemWord(w.toLowerCase()));
  const share = shareOf(word, (piece) =>
    words.includes(piece) || (hasLetter.test(piece) && text.includes(piece))
      ? 1
      : piece.length > 2 && bare(text).includes(bare(piece)) ? 0.5 : 0);
  const place = Math.max(text.indexOf(word), text.indexOf(word.slice(0, 2)), 0);
  return share && share * (1.5 - place / text.length / 2);
};

const sectionsOf = (file) =>
  Object.entries(Search._index.alltitles).flatMap(([title, places]) =>
    places.filter((p) => p[0] === file && p[1]).map((p) => ({ title, id: p[1] })));

// A page must have all words, better side by side. Its sections follow it.
const search = (words) => {
  const { docnames, filenames, titles } = Search._index;
  const strengthOf = (word) => {
    const known = new Map();
    const pages = (piece) => known.get(piece) ?? known.set(piece, pagesOf(piece)).get(piece);
    return (file) => shareOf(word, (piece) => pages(piece).get(file) ?? 0);
  };
  const strengths = words.map(strengthOf);
  const seams = words.slice(1).map((word, i) => [...words[i]].at(-1) + [...word][0])
    .filter((seam) => isPaired.test(seam)).map(strengthOf);
  return docnames.flatMap((docname, file) => {
    const texts = strengths.map((strength) => strength(file));
    if (!words.length || texts.includes(0)) return [];
    const sections = sectionsOf(file).map(({ title, id }) =>
      ({ title, id, shares: words.map((word) => shareOfTitle(word, title)) }));
    const apart = seams.some((strength) => !strength(file)) ? 2 : 1;
    let score = 0;
    words.forEach((word, i) => {
      const named = sections.reduce((sum, { shares }) => sum + shares[i], 0);
      score += texts[i] / apart + 4 * shareOfTitle(word, titles[file]) + (3 * named) / (named + 1);
    });
    if (/(^|\/)index$/.test(docname)) score /= 4; // it lists pages: those come first
    if (!docname.includes("/")) score /= 3; // about the site, not about its subject
    score = 10 * score / words.length - file / 1000; // none equal: sections stay with pages
    const result = (title, anchor, at, kind) =>
      [docname, title, anchor, null, score - at / 1e5, filenames[file], kind];
    return [
      result(titles[file], "", 0, SearchResultKind.text),
      ...sections.filter(({ shares }) => !shares.includes(0)).map(({ title, id }, i) =>
        result(`${titles[file]} > ${title}`, `#${id}`, i + 1, SearchResultKind.title)),
    ];
  });
};

Scorer.title = 0; // Sphinx's own search of titles finds nothing more
Search.performTermsSearch = (terms) => {
  const words = [...terms];
  const found = search(words);
  // Among CJK words a Latin one is a name: better found alone than not at all.
  const names = words.filter((word) => /^[a-z_]{4}/.test(word));
  return found.length || !words.some((w) => hasLetter.test(w)) ? found : search(names);
};

// Show a place that has a word as typed, else a part of it.
Search.makeSearchSummary = (html, words, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll("h1, .no-search, .headerlink, script, style").forEach((e) => e.remove());
  const main = page.querySelector("[role=main]");
  const place = (anchor && page.getElementById(anchor.slice(1))) || main?.querySelector("article") || main;
  const text = (place?.textContent ?? "").replace(/\s+/g, " ").trim();
  if (!text) return null;
  const at = (piece) => normal(text).indexOf(piece);
  const seen = [...words, ...[...words].flatMap(pairsOf)].find((piece) => at(piece) > -1);
  const start = seen ? Math.max(at(seen) - 60, 0) : 0;
  const end = start + 240;
  const summary = document.createElement("p");
  summary.className = "context";
  summary.textContent =
    (start ? "…" : "") + text.slice(start, end) + (end < text.length ? "…" : "");
  return summary;
};
})();
