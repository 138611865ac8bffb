// Finds the sections that answer a query, and ranks their pages; searchtools.js shows them.
"use strict";

(() => {
const { language, pages, definitions } = cjkSearchIndex;
const letters = `[${language.characters}]`;
const latin = `(?:(?!${letters})[\\p{L}\\p{N}_])+`;
const runs = new RegExp(`\\d+[${language.counters}]|${letters}+|${latin}(?:-${latin})*`, "gu");
const isRun = new RegExp(`^${letters}`, "u");
const isKana = /^[\u3041-\u3096]+$/u;
const goesOn = /^[ーぁぃぅぇぉっゃゅょァィゥェォッャュョ]$/u; // no word begins with it
const particle = new RegExp(`^(${letters}{2,}?)(?:${language.particles || "$^"})$`, "u");
const isParticle = new RegExp(`^(?:${language.particles || "$^"})$`, "u");
const ending = new RegExp(`^(${letters}*?)(?:${language.endings || "$^"})$`, "u");
const isFiller = new RegExp(`^[${language.fillers}]+$`, "u");
// What is counted, with digits: 两台, 2 台 are 2台.
const counted = new RegExp(`([${Object.keys(language.numbers).join("")}]|\\d+)\\s?([${language.counters}])`, "gu");
const digits = (text) =>
  text.replace(counted, (_, number, of) => (language.numbers[number] ?? number) + of);
const synonyms = cjkSearchIndex.synonyms.map(([typed, terms]) => [digits(typed), terms]);
const isCounted = new RegExp(`^\\d+[${language.counters}]$`, "u");
const isQuestion = new RegExp(`^(?:${language.questions})$`, "u");
const questions = new RegExp(language.questions, "gu");
const stopwords = new Set(language.stopwords);
const modules = /(?:[a-z_]\w*\.)+(?=[a-z_]\w{2})(?!ipynb)/g; // torch.nn. before a name

// How much a word counts in a section: it is in code only, in the text, often, defined.
// In the title it counts more, most in the subject of the title, before a colon.
const STRENGTHS = { ",": 0.4, "": 1, ":": 1.6, "!": 2.7 };
const ofTitle = (word, title) => {
  const subject = subjectOf(title);
  const isIn = isRun.test(word) ? subject.includes(word) : namesIn(subject).includes(word);
  return 1.2 + (isIn ? 5 / Math.max(2, lengthOf(subject)) : 3 / Math.max(2, lengthOf(title)));
};
// Each pair of a word asks for the same titles.
const remembered = (answer, known = new Map()) => (key) =>
  known.get(key) ?? known.set(key, answer(key)).get(key);
const subjectOf = remembered((title) => normal(title).split(":")[0]);
const namesIn = (text) => {
  const names = wordsOf(text).filter((word) => !isRun.test(word));
  return names.flatMap((name) => [name, ...name.split("-")]).map(stem);
};
const lengthOf = remembered((title) =>
  sum(wordsOf(normal(title)).map((word) => (isRun.test(word) ? word.length / LETTERS : 1))));
const LETTERS = 2.5; // of a language without spaces make a word
const PAIR = 0.5; // of the strength of a word, has a pair of letters
const AS_LONG = 1.5; // words; a longer text for the same does not count more
const EXPLAINS = 1.15; // the page to which the glossary links for a term
const SUBJECT = 0.25; // of a word, has one that is in the name of the site
const START = 0.4; // of a section's score, for the beginning of its page
const ANYWHERE = 0.5;
const KINDS = { page: 1, list: 0.3, last: 0.05 }; // has a subject, lists others, is about the site
const SHORTEST_BEGINNING = 3; // letters of a name
const SHORTEST_TO_MISSPELL = 5;

const normal = (text) => text.normalize("NFKC").toLowerCase();
const bare = (name) => name.replace(/[-_\s]/g, "");
// Stemmer: in language_data.js, by Sphinx
const stem = (word) => (language.has_stemmer ? new Stemmer().stemWord(word) : word);
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const pairsOf = (word) => [...word].slice(1).map((letter, i) => [...word][i] + letter);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const add = (map, key, value) => map.set(key, (map.get(key) ?? 0) + value);
const best = (map, key, value) => map.set(key, Math.max(map.get(key) ?? 0, value));

// Readers write "multi gpu", "multi-GPU" and "multigpu"; GPU is no part of GPUs' names.
const patternOf = (typed) => {
  const before = /^[a-z0-9]/.test(typed) ? "(?<![a-z0-9_])" : "";
  const after = /[a-z0-9]$/.test(typed) ? "(?:e?s)?(?![a-z0-9_])" : "";
  return before + escaped(typed).replace(/[-_\s]+/g, "[-_\\s]?") + after;
};

// The index. Its terms and their places are two texts: thousands of keys would be slow to
// parse, and compress less.

const subject = normal(cjkSearchIndex.subject);
const sections = pages.flatMap(([, , , found], page) =>
  found.map(([id, title], at) => ({ page, at, id, title })));
const sizes = pages.filter(([, kind]) => kind === "page").map(([, , size]) => size);
const usual = sum(sizes) / sizes.length; // size of a page, in terms of its sections
const starts = sections.flatMap(({ at }, number) => (at ? [] : [number]));
const lists = cjkSearchIndex.places.split(" ");
const packed = new Map(cjkSearchIndex.words.split(" ").map((word, i) => [word, lists[i]]));
const names = [...packed.keys()].filter((word) => !isRun.test(word));
const allTyped = new RegExp(synonyms.map(([typed]) => patternOf(typed)).join("|") || "$^", "gu");

// Few texts begin as another does: no pattern is made for the others.
const isWritten = (text, typed) => bare(text).startsWith(bare(typed))
  && new RegExp(`^${patternOf(typed)}$`, "u").test(text);

// Where a word of the index is: section and strength.
const STEPS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const STEP = /(\d*)([a-zA-Z])([,:!.]?)/g;
const placesOf = (word) => {
  const places = new Map();
  let section = -1;
  for (const [, high, low, mark] of (packed.get(word) ?? "").matchAll(STEP)) {
    section += high * STEPS.length + STEPS.indexOf(low) + 1;
    places.set(section, STRENGTHS[mark] ?? ofTitle(word, sections[section].title));
  }
  return places;
};

// A query: each of its needs can be met by one of several texts, and each of these has words.

const needsOf = (query) => {
  const text = digits(normal(query)).replace(modules, "");
  const needs = [];
  let at = 0;
  for (const { 0: typed, index: place } of text.matchAll(allTyped)) {
    needs.push(...plainNeeds(text.slice(at, place)), needOfTyped(typed));
    at = place + typed.length;
  }
  needs.push(...plainNeeds(text.slice(at)));
  const subjects = needs.filter(({ isMinor }) => !isMinor);
  return subjects.length ? subjects : needs.filter(({ typed }) => typed);
};

const needOfTyped = (typed) => {
  const same = synonyms.flatMap(([one, words]) => (isWritten(typed, one) ? words : []));
  return needOf(typed, [typed, ...same.map(normal)].map(wordsOf));
};

// Every page is about the subject of the site: a word of its name sets none apart.
const needOf = (typed, texts) =>
  ({ typed, texts, isSubject: texts.some((words) => words.every(isOfSubject)) });

const isOfSubject = (word) => {
  if (isCounted.test(word)) return true;
  return isRun.test(word) ? subject.includes(word) : namesIn(subject).includes(stem(word));
};

// The words of a text: those of its subject, if there are any.
const wordsOf = (text) => {
  const words = (text.match(runs) ?? []).flatMap(partsOf).filter(Boolean);
  const subjects = words.filter((word) => !isMinor(word));
  return subjects.length ? subjects : words;
};

const partsOf = (run) => {
  if (!isRun.test(run) || isQuestion.test(run)) return [run];
  if (isParticle.test(run)) return [""];
  const word = stemOfVerb(run.replace(ending, "$1")).replace(particle, "$1");
  return language.particles ? [word] : word.split(questions).filter((part) => part);
};

// The past of a Korean verb, and 요, contract a vowel: 나눴다, 나눠요 have the stem 나누.
const [VOWELS, CONTRACTED] = ["ᅵᅮᅩᅬᅡᅥᅢᅦ", "ᅧᅯᅪᅫᅡᅥᅢᅦ"];
const ofVerb = new RegExp("(?:아|어|(?:하)?(?:여|게))ᆻ.*$|해(?:ᆻ.*|요)$|(?:하|되|이)?ᆸ니다$".normalize("NFD"));
const contracted = new RegExp("([ᅧ-ᅥ])ᆻ.*$".replace("ᅧ-ᅥ", CONTRACTED)
  + "|(?<!ᄋ)([ᅧᅯᅫ])(?:서|요|도)?$".normalize("NFD"));
const stemOfVerb = (run) => run.normalize("NFD").replace(ofVerb, "")
  .replace(contracted, (_, past, now) => VOWELS[CONTRACTED.indexOf(past ?? now)]).normalize("NFC");
// A stem as pages may have it: 나누, 나눈, 나눌, 나눔, 나눕니다, 나눠, 나눴다.
const formsOf = (pair) => {
  const short = pair.normalize("NFD").replace(/[ᅵᅮᅩᅬ]$/, (vowel) => CONTRACTED[VOWELS.indexOf(vowel)]);
  const forms = [..."ᆫᆯᆷᆸ"].map((end) => pair + end);
  return [pair, ...forms, short, `${short}ᆻ`].map((form) => form.normalize("NFC"));
};

const stems = new Map(synonyms.map(([typed]) => [stemOfVerb(typed), typed])
  .filter(([stem, typed]) => stem !== typed));
const plainNeeds = (text) => (text.match(runs) ?? []).flatMap(partsOf).map((word) =>
  stems.has(word) ? needOfTyped(stems.get(word)) : misspelt(word) ?? { ...needOf(word, [[word]]), isMinor: isMinor(word) });

// Words that are not the subject of a query, if it has others.
const isMinor = (word) =>
  !word || stopwords.has(word) || isQuestion.test(word) || isFiller.test(word)
  || /^\d+$/.test(word) || (isRun.test(word) && [...word].length < 2);

// A name that is on no page, but similar to one that is, or to a synonym.
const misspelt = (word) => {
  const plain = bare(word);
  const isKnown = (name) => likeness(plain, name) || name === stem(word);
  if (isRun.test(word) || names.some(isKnown)) return null;
  const typed = synonyms.map(([one]) => one);
  const near = likest(plain, [...typed, ...names]);
  if (!near.length) return null;
  const need = typed.includes(near[0])
    ? needOfTyped(near[0])
    : needOf(word, near.map((name) => [name]));
  return { ...need, typed: word, isMisspelt: true };
};

// Results of a word: its strength in each section, and the pages that have all of it.

const pageOf = (section) => sections[section].page;
const pagesOf = (places) => new Set([...places.keys()].map(pageOf));

const rarity = (places) => {
  const all = sections.length;
  return Math.log(1 + (all - places.size + 0.5) / (places.size + 0.5));
};

const weighted = (places, factor = 1) => {
  const rare = rarity(places) * factor;
  return new Map([...places].map(([section, strength]) => [section, strength * rare]));
};

const findWord = (word) => {
  if (!isRun.test(word)) return findName(word);
  return [...word].length > 1 ? findRun(word) : findLetter(word);
};

const placesOfAny = (words) => {
  const places = new Map();
  words.forEach((word) =>
    placesOf(word).forEach((strength, section) => best(places, section, strength)));
  return places;
};

// One letter: all pairs that have it.
const findLetter = (letter) => {
  const places = placesOfAny([...packed.keys()].filter((pair) => pair.includes(letter)));
  return { scores: weighted(places), whole: pagesOf(places) };
};

// A run of letters by its pairs. It may be written as several words: not each of its pairs
// must be there, but each of its letters in one of them.
const findRun = (word) => {
  const all = [...word];
  const isIndexed = (pair) => isKana.test(word) || !isKana.test(pair);
  const places = pairsOf(word).map((pair, i) =>
    placesOfAny((i < all.length - 2 ? [pair] : formsOf(pair)).filter(isIndexed)));
  const pages = places.map(pagesOf);
  const scores = new Map();
  places.map((found) => weighted(found, PAIR)).forEach((found) =>
    found.forEach((score, section) => add(scores, section, score)));
  const isThere = (page) => (letter, i) => pages[i - 1]?.has(page)
    || (pages[i]?.has(page) && !goesOn.test(letter)) || isFiller.test(letter);
  const candidates = new Set(pages.flatMap((found) => [...found]));
  return { scores, whole: new Set([...candidates].filter((page) => all.every(isThere(page)))) };
};

// A name as it is, from its beginning, or without its underscores.
const findName = (word) => {
  const plain = bare(word);
  const places = new Map();
  const take = (name, factor) => factor &&
    placesOf(name).forEach((strength, section) => best(places, section, strength * factor));
  take(stem(word), 1);
  // a language with stems has those of names, too: all_reduc
  const root = bare(stem(word));
  names.forEach((name) => take(name, bare(name) === root ? 1 : likeness(plain, name)));
  const [first, ...others] = word.split("-");
  if (!places.size && others.length) return together([first, ...others].map(findName));
  const whole = pagesOf(places);
  if (!places.size && /[a-z]\d+$/.test(word)) // GPU0
    return { ...findName(word.replace(/\d+$/, "")), whole };
  return { scores: weighted(places), whole };
};

// How much of a name was typed: from its beginning, or from that of a part, train_sampler.
const likeness = (plain, name) => {
  const whole = bare(name);
  if (whole === plain) return 1;
  if (plain.length < SHORTEST_BEGINNING) return 0;
  if (whole.startsWith(plain)) return 0.3 + 0.5 * (plain.length / whole.length);
  return name.includes(`_${plain}`) ? 0.4 : 0;
};

// Several words are one need: where one is missing, the others count less.
const together = (found) => {
  const scores = new Map();
  const there = new Map();
  found.forEach((one) => one.scores.forEach((score, section) => {
    add(scores, section, score);
    add(there, section, 1 / found.length);
  }));
  there.forEach((share, section) => scores.set(section, scores.get(section) * share ** 2));
  const pages = [...(found[0]?.whole ?? [])];
  const isWhole = (page) => found.every(({ whole }) => whole.has(page));
  return { scores, whole: new Set(pages.filter(isWhole)) };
};

// Names that differ by few letters from a word.
const likest = (word, names) => {
  if (word.length < SHORTEST_TO_MISSPELL) return [];
  const most = word.length > 11 ? 3 : word.length > 7 ? 2 : 1;
  const near = names.map((name) => [name, distance(bare(name), word, most)])
    .filter(([name, far]) => far < 3 || name[0] === word[0]);
  const least = Math.min(...near.map(([, far]) => far));
  return least > most ? [] : near.filter(([, far]) => far === least).map(([name]) => name);
};

const distance = (a, b, most) => {
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let row = [...Array(b.length + 1).keys()];
  [...a].forEach((letter, i) => {
    const before = row;
    row = [i + 1];
    [...b].forEach((other, j) =>
      row.push(Math.min(row[j] + 1, before[j + 1] + 1, before[j] + (letter !== other))));
  });
  return row[b.length];
};

const sizeOf = (word) => (isRun.test(word) ? PAIR * Math.max(1, [...word].length - 1) : 1);

// One of several texts has to be there: the best of them counts, the long as the short.
const findNeed = ({ texts, isSubject, isMisspelt }) => {
  const found = texts.map((words) => together(words.map(findWord)));
  const sizes = texts.map((words) => Math.max(1, sum(words.map(sizeOf)) / AS_LONG));
  const whole = new Set(isMisspelt ? [] : found.flatMap(({ whole }) => [...whole]));
  const factor = isSubject ? SUBJECT : 1;
  const scores = new Map();
  found.forEach((one, i) => one.scores.forEach((score, section) =>
    best(scores, section, (score / (texts.length > 1 ? sizes[i] : 1)) * factor)));
  return { scores, isWhole: (page) => isSubject || whole.has(page) };
};

// Pages, the best first: those with all words, then the others. Each has its sections.
const rank = (needs) => {
  const found = needs.map(findNeed);
  const byPage = new Map();
  new Set(found.flatMap(({ scores }) => [...scores.keys()])).forEach((section) =>
    byPage.set(pageOf(section), [...(byPage.get(pageOf(section)) ?? []), section]));
  const explains = definitionOf(needs)?.[3];
  const factor = (page) => (pages[page][0] === explains ? EXPLAINS : 1);
  const all = [...byPage].map(([page, places]) => rated(page, places, found, factor(page)));
  return all.sort((a, b) => a.isPart - b.isPart || b.score - a.score);
};

// A page counts by its best section, its beginning, and the best that it has for each need:
// this counts less on a long page, which has something for every need.
const rated = (page, places, found, factor) => {
  const kind = pages[page][1];
  // by the root: a word in the title does not outweigh all others
  const scoreOf = (place) => sum(found.map(({ scores }) => Math.sqrt(scores.get(place) ?? 0)));
  const best = sum(found.map(({ scores }) =>
    Math.sqrt(Math.max(...places.map((at) => scores.get(at) ?? 0)))));
  const scored = places.map((place) => ({ ...sections[place], score: scoreOf(place) }))
    .sort((a, b) => b.score - a.score || a.at - b.at);
  const anywhere = ANYWHERE * Math.min(1, usual / pages[page][2]);
  const score = scored[0].score + START * scoreOf(starts[page]) + anywhere * best;
  const isWhole = found.every(({ isWhole }) => isWhole(page));
  // the order of reading decides between equal scores
  return { page, isPart: !isWhole, score: score * factor * KINDS[kind] - page / 1e4, sections: scored };
};

// The definition of a term, [names, text, address, page], if the query is one of its names.
const definitionOf = (needs) => {
  const joined = (words) => bare(words.join(""));
  const asked = [needs.map(({ typed }) => typed), ...(needs.length === 1 ? needs[0].texts : [])];
  const isOne = (words) => ([names]) =>
    names.some((name) => joined(wordsOf(normal(name))) === joined(words));
  return asked.map((words) => definitions.find(isOne(words))).find(Boolean);
};

Search.setEngine({ needsOf, rank, definitionOf, normal, pairsOf, escaped });
})();
