// Sent with each page of the live view: reload it after an edit, or show what is wrong.
(() => {
  const { shown } = document.currentScript.dataset; // the checksum of this page
  const compare = async () => {
    const page = await (await fetch(location.href)).text();
    if (!page.includes(`data-shown="${shown}"`)) location.reload();
  };
  const show = (problems) => {
    const box = document.getElementById("live-problems") ?? document.createElement("pre");
    box.id = "live-problems";
    box.role = "alert";
    box.textContent = problems;
    box.style.cssText =
      "position:fixed;inset:auto 0 0 0;z-index:9999;max-height:60vh;overflow:auto;" +
      "margin:0;padding:1em;white-space:pre-wrap;font:14px/1.4 monospace;" +
      "color:#fff;background:#7a1020";
    document.body.append(box);
  };
  const connect = () => {
    const socket = new WebSocket(`ws://${location.host}/websocket-reload`);
    // told at once, and after each build, so that nothing is missed in between
    socket.onmessage = ({ data: problems }) => {
      if (problems) return show(problems);
      document.getElementById("live-problems")?.remove();
      compare();
    };
    socket.onclose = () => setTimeout(connect, 1000);
  };
  connect();
})();
