// Sent with each page of the live view: show what went wrong in the last build, and what
// the check finds in the catalog of this page.
(async () => {
  const page = encodeURIComponent(decodeURI(location.pathname));
  const answer = await fetch(`/live-problems?page=${page}`, { cache: "no-store" });
  const { problems, findings } = await answer.json();
  const below = document.createElement("div");
  below.style.cssText =
    "position:fixed;inset:auto 0 0 0;z-index:9999;max-height:60vh;overflow:auto;" +
    "white-space:pre-wrap;font:14px/1.4 monospace;color:#fff";
  document.body.append(below);
  const add = (kind, id, color, text) => {
    const box = document.createElement(kind);
    box.id = id;
    box.textContent = text;
    box.style.cssText = `margin:0;padding:1em;font:inherit;color:inherit;background:${color}`;
    below.append(box);
    return box;
  };
  if (problems) add("pre", "live-problems", "#7a1020", problems).role = "alert";
  if (!findings.length) return;
  const box = add("details", "live-findings", "#5a4100", findings.join("\n"));
  const summary = document.createElement("summary");
  summary.textContent = `Found by make check: ${findings.length}`;
  box.prepend(summary);
  // folded, it stays so on the next page, which may come before a "toggle" does
  box.open = !sessionStorage.getItem("live-folded");
  summary.addEventListener("click", () =>
    sessionStorage.setItem("live-folded", box.open ? "yes" : ""));
})();
