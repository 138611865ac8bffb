// Put the reader's language first: the one chosen last, else the browser's first that
// the site has. Colours follow the choice that was made on a page.
function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage may be forbidden
  }
}

const mode = stored("mode");
if (mode === "light" || mode === "dark") document.documentElement.dataset.theme = mode;

const offered = [...document.querySelectorAll("main a[hreflang]")];
const speaks = (wanted) => (link) =>
  link.hreflang === wanted || link.hreflang.split("-")[0] === wanted.split("-")[0];
const wishes = [stored("language"), ...navigator.languages].filter(Boolean);
const preferred = wishes.map((wish) => offered.find(speaks(wish))).find(Boolean);
if (preferred) preferred.parentElement.parentElement.prepend(preferred.parentElement);

for (const link of offered) {
  link.addEventListener("click", () => {
    try {
      localStorage.setItem("language", link.hreflang);
    } catch {
      // as above
    }
  });
}
