// A list that lies above the page closes when a link in it is chosen.
document.addEventListener("click", (event) => {
  event.target.closest('dialog[id$="sidebar-modal"] a')?.closest("dialog").close();
});

// The list of all lessons is longer than a screen: it begins where the reader is.
document.addEventListener("DOMContentLoaded", () => {
  const list = document.getElementById("pst-primary-sidebar");
  const entry = list?.querySelector('[aria-current="page"]');
  if (!entry) return;
  const { top, bottom } = entry.getBoundingClientRect();
  const shown = list.getBoundingClientRect();
  if (top < shown.top || bottom > Math.min(shown.bottom, innerHeight))
    list.scrollTop += top - shown.top - list.clientHeight / 2;
});

// The routes of the front page show which lessons this browser has opened.
document.addEventListener("DOMContentLoaded", () => {
  const lesson = (page) => page.split("tutorials/")[1]?.split(/[#?]/)[0];
  const visited = new Set((localStorage.getItem("visited") ?? "").split(" "));
  const here = lesson(location.pathname);
  if (here) localStorage.setItem("visited", [...visited.add(here)].join(" ").trim());
  for (const link of document.querySelectorAll(".route a"))
    link.classList.toggle("visited", visited.has(lesson(link.href)));
});
