// Keep the reader's section, or the query, when the language changes; remember the
// choice for the page that offers the languages; close the menu on Escape. Translate
// the copy button.

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
    const blocks = [...(document.getElementById(link.hash.slice(1))?.children ?? [])];
    const read = blocks.findLastIndex(
      (block) => block.getBoundingClientRect().top < innerHeight / 2,
    );
    withStorage(() => sessionStorage.setItem("block", `${link.hash} ${read}`));
  }
  for (const menu of document.querySelectorAll(".language-menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll(".language-menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// Blocks of a section are the same in all languages too: go on where the reader was.
const [target, block] = (withStorage(() => sessionStorage.getItem("block")) ?? "").split(" ");
withStorage(() => sessionStorage.removeItem("block"));
if (target && target === location.hash)
  addEventListener("load", () =>
    document.getElementById(target.slice(1))?.children[block]?.scrollIntoView());

// sphinx-copybutton has a table of strings for some languages, and icons with two of them.
// It adds its buttons when the page is loaded: later, or already.
if (typeof messages === "object" && typeof galleryIntlWords === "object") {
  const before = { ...messages[locale] };
  Object.assign(messages[locale], galleryIntlWords.copyButton);
  for (const [name, text] of Object.entries(galleryIntlWords.copyButton)) {
    const [old, translated] = [`<title>${before[name]}<`, `<title>${text}<`];
    iconCopy = iconCopy.replace(old, () => translated);
    iconCheck = iconCheck.replace(old, () => translated);
  }
  for (const button of document.querySelectorAll(".copybtn")) {
    button.dataset.tooltip = messages[locale].copy;
    button.innerHTML = iconCopy;
  }
}
