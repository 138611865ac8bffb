// Sent with each page of the live view: show what went wrong in the last build.
(async () => {
  const problems = await (await fetch("/live-problems", { cache: "no-store" })).text();
  if (!problems) return;
  const box = document.createElement("pre");
  box.id = "live-problems";
  box.role = "alert";
  box.textContent = problems;
  box.style.cssText =
    "position:fixed;inset:auto 0 0 0;z-index:9999;max-height:60vh;overflow:auto;" +
    "margin:0;padding:1em;white-space:pre-wrap;font:14px/1.4 monospace;" +
    "color:#fff;background:#7a1020";
  document.body.append(box);
})();
