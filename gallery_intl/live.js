// Sent with each page of the live view: reload it after an edit, or show what is wrong.
(() => {
  // without the checksums of style sheets, which differ from build to build
  const read = async () => (await (await fetch(location.href)).text()).replace(/\?v=\w+/g, "");
  const loaded = read();
  const compare = async () => {
    if ((await read()) !== (await loaded)) location.reload();
  };
  const show = (text) => {
    const box = document.getElementById("live-problems") ?? document.createElement("pre");
    box.id = "live-problems";
    box.role = "alert";
    box.textContent = text;
    box.style.cssText =
      "position:fixed;inset:auto 0 0 0;z-index:9999;max-height:60vh;overflow:auto;" +
      "margin:0;padding:1em;white-space:pre-wrap;font:14px/1.4 monospace;" +
      "color:#fff;background:#7a1020";
    document.body.append(box);
  };
  const connect = (again) => {
    const socket = new WebSocket(`ws://${location.host}/websocket-reload`);
    // a server that was started anew may have built other pages
    socket.onopen = () => again && location.reload();
    socket.onmessage = ({ data }) => {
      if (data === "refresh") location.reload();
      else if (data === "compare") compare();
      else show(data);
    };
    socket.onclose = () => setTimeout(connect, 1000, true);
  };
  connect(false);
})();
