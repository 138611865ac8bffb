// The calculator of the page "Will it fit". Its words are those of the page's table and
// lists, so they are in the page's language. Its formulas are those of the page, which
// are Python there: tests/browser/test_will_it_fit.py compares the two.
(() => {
  const table = document.querySelector("table.will-it-fit");
  if (!table) return;
  const items = (name) => [...document.querySelectorAll(`.will-it-fit-${name} > li`)];
  const words = (name) => items(name).map((li) => li.querySelector("a, strong"));
  const [parts, strategies] = ["parts", "strategies"].map(words);
  const [fit, tooLarge, computing, sending, impossible] = words("answers");
  const KEYS = ["parameters", "blocks", "width", "vocabulary", "tokens", "gpus", "memory",
    "precision", "checkpointing", "speed", "link"];
  const STRATEGIES = ["DDP", "ZeRO-1", "FSDP", "TP", "PP"]; // in the order of the list
  const BYTES = { bf16: 2, fp32: 4 };

  // GB that a GPU holds of each part, GB sent, seconds of computing and sending, and
  // whether the strategy works with so many GPUs.
  function calculate(strategy, run) {
    const bytes = BYTES[run.precision];
    const outside = (2 * run.vocabulary * run.width) / 1e9;
    const block = Math.max(run.parameters - outside, 0) / run.blocks;
    const isCut = strategy === "FSDP" || strategy === "TP";
    let share = isCut ? run.parameters / run.gpus : run.parameters;
    if (strategy === "PP")
      share = Math.ceil(run.blocks / run.gpus) * block + outside / Math.min(run.gpus, 2);
    const adam = strategy === "ZeRO-1" ? (8 * share) / run.gpus : 8 * share;
    const gathered = strategy !== "FSDP" ? 0
      : Math.max((3 * bytes + 4) * block, ((2 * bytes + 4) * outside) / 2);

    const hidden = ((block * 1e9) / run.width - 4 * run.width) / 3;
    const numbers = Math.max(8 * run.width + 4 * hidden, 8 * run.width);
    const ofBlock = (numbers * bytes * run.tokens) / 1e9;
    const ofWidth = (run.width * bytes * run.tokens) / 1e9;
    const whole = strategy === "TP" ? 2 * (run.gpus - 1) * ofWidth : 0;
    const blocks = strategy === "PP"
      ? Math.ceil(run.blocks / run.gpus) * run.gpus : run.blocks;
    const logits = (12 * run.vocabulary * run.tokens) / 1e9;
    const activations = run.checkpointing
      ? blocks * ofWidth + Math.max(ofBlock - logits, 0) + whole
      : blocks * (ofBlock + whole);

    const ring = (run.gpus - 1) / run.gpus;
    const between = (run.tokens * run.gpus * run.width * bytes) / 1e9;
    const halfAllReduces = run.checkpointing ? 11 : 8;
    const sent = {
      "DDP": ring * 8 * run.parameters,
      "ZeRO-1": ring * 12 * run.parameters,
      "FSDP": ring * (2 * bytes + 4) * run.parameters,
      "TP": ring * halfAllReduces * run.blocks * between,
      "PP": Math.min(run.gpus - 1, 2) * between,
    }[strategy];

    const operations = run.checkpointing ? 8 : 6;
    const inMatrices = Math.max(run.parameters - outside / 2, 0);
    let computing = (operations * inMatrices * run.tokens) / run.speed / 1000;
    if (strategy === "PP") {
      const ofStage = run.blocks / run.gpus;
      computing *= (((2 * run.gpus - 1) / run.gpus) * Math.ceil(ofStage)) / ofStage;
    }
    const held = [4 * share, 4 * share, adam, gathered, activations, logits];
    const limits = { TP: 8, PP: run.blocks };
    const isPossible = run.gpus <= (limits[strategy] ?? run.gpus);
    return { held, sent, computing, sending: sent / run.link, isPossible };
  }

  const make = (name, properties = {}, ...children) => {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  };
  const data = (value, unit) => make("data", { value },
    `${value < 10 ? +value.toPrecision(2) : Math.round(value)} ${unit}`);

  // The form: a row of the table becomes a field, a column a model to start from.
  const texts = [...table.rows].map((row) =>
    [...row.cells].map((cell) => cell.textContent.trim()));
  const number = (text) => text.replace(/,/g, "").match(/[\d.]+/)[0];
  const valueIn = (key, text) => key === "precision" ? text
    : key === "checkpointing" ? text === "✓" : number(text);
  const models = texts[0].slice(1).map((_, column) =>
    KEYS.map((key, row) => valueIn(key, texts[row + 1][column + 1])));

  const field = (key, row) => {
    if (key === "precision")
      return make("select", { name: key },
        ...Object.keys(BYTES).map((name) => make("option", {}, name)));
    if (key === "checkpointing") return make("input", { name: key, type: "checkbox" });
    const isWhole = ["blocks", "width", "vocabulary", "tokens", "gpus"].includes(key);
    const limits = isWhole ? { min: 1, step: 1 } : { min: 0.001, step: "any" };
    const mode = isWhole ? "numeric" : "decimal";
    return make("input",
      { name: key, type: "number", inputMode: mode, required: true, ...limits });
  };
  const fields = KEYS.map(field);
  const model = make("select", {}, ...texts[0].slice(1).map((x) => make("option", {}, x)));
  const labels = KEYS.map((key, row) => {
    const [name, example] = texts[row + 1];
    const unit = fields[row].type === "number" ? example.replace(/.*?[\d.,]+/, "").trim() : "";
    return make("label", {}, make("span", {}, name), fields[row], make("small", {}, unit));
  });
  const form = make("form", { className: "fit-form" },
    make("label", {}, make("span", {}, texts[0][0]), model), ...labels);
  const results = make("div", { className: "fit-results" });

  const set = (input, value) => {
    if (input.type === "checkbox") input.checked = value === true || value === "true";
    else input.value = value;
  };
  const get = (input) => input.type === "checkbox" ? input.checked
    : input.type === "number" ? Number(input.value) : input.value;
  const setAll = (values) => fields.forEach((input, row) => set(input, values[row]));

  function show() {
    model.selectedIndex = models.findIndex((values) =>
      fields.every((input, row) => String(get(input)) === String(values[row])));
    if (!form.checkValidity()) return;
    const run = Object.fromEntries(KEYS.map((key, row) => [key, get(fields[row])]));
    const all = STRATEGIES.map((strategy) => calculate(strategy, run));
    const total = ({ held }) => held.reduce((sum, part) => sum + part, 0);
    const possible = all.filter((found) => found.isPossible); // DDP always is
    const longest = Math.max(...possible.map(total));
    const scale = 100 / Math.max(1.1 * run.memory, Math.min(longest, 2 * run.memory));
    const slowest = Math.max(1e-9, ...possible.flatMap((x) => [x.computing, x.sending]));
    results.replaceChildren(...all.map((found, row) => {
      const fits = found.isPossible && total(found) <= run.memory;
      const answer = !found.isPossible ? impossible : fits ? fit : tooLarge;
      const segments = found.held.map((part, place) => make("a",
        { href: parts[place].href, className: `fit-part-${place}`, tabIndex: -1,
          title: `${parts[place].textContent}: ${part.toFixed(1)} GB`,
          style: `width: ${part * scale}%` }));
      const limit = make("i", { style: `left: ${run.memory * scale}%` });
      const values = found.held.map((part, place) => part ? make("li",
        { className: `fit-part-${place}` }, `${parts[place].textContent} `,
        data(part, "GB")) : "");
      const times = [found.computing, found.sending].map((time, place) => make("div", {},
        `${[computing, sending][place].textContent} `, data(time, "s"),
        ...(place ? [", ", data(found.sent, "GB")] : []),
        make("b", { style: `width: ${Math.min(100, (100 * time) / slowest)}%` })));
      return make("section", { className: fits ? "fit" : "fit-not" },
        make("p", {}, strategies[row].cloneNode(true), " ", data(total(found), "GB"),
          make("strong", {}, answer.textContent)),
        make("div", { className: "fit-bar", ariaHidden: "true" }, ...segments, limit),
        make("ul", {}, ...values), make("div", { className: "fit-times" }, ...times));
    }));
  }

  // The state is in the address, so that it can be shared.
  function keep() {
    const address = new URL(location);
    KEYS.forEach((key, row) => address.searchParams.set(key, get(fields[row])));
    try { history.replaceState(null, "", address); } catch { /* a page from disk */ }
  }
  setAll(models[0]);
  const asked = new URLSearchParams(location.search);
  KEYS.forEach((key, row) => {
    if (!asked.has(key)) return;
    set(fields[row], asked.get(key));
    if (!fields[row].value || !fields[row].checkValidity())
      set(fields[row], models[0][row]);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (target === model) setAll(models[model.selectedIndex]);
    show();
    if (form.checkValidity()) keep();
  });
  (table.closest(".pst-scrollable-table-container") ?? table).replaceWith(form, results);
  show();
})();
