// A list that lies above the page closes when a link in it is chosen.
document.addEventListener("click", (event) => {
  event.target.closest('dialog[id$="sidebar-modal"] a')?.closest("dialog").close();
});
