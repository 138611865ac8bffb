// Keep the reader's section when the language changes, and close the menu on Escape.
document.addEventListener("click", (event) => {
  const link = event.target.closest(".language-menu a");
  if (link && location.hash) link.hash = location.hash;
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
