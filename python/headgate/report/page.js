// What a report does: draws its pictures, and filters all of them by the same choices.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");
  const root = document.documentElement;

  // Light or dark: as the system has it until the button says otherwise.
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => { root.dataset.theme = system.matches ? "dark" : "light"; };
  follow();
  system.addEventListener("change", follow);
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });

  const page = read("charts");
  if (!page) { root.dataset.ready = "yes"; return; }

  const choices = { ...page.first };
  const views = [];
  let drawing = 0;
  const MOST_ROWS = 300;

  // Columns to rows; each picture gets its own, since Vega writes into them.
  function rowsOf(name) {
    const columns = Object.entries(page.data[name] ?? {}).map(([key, column]) =>
      [key, column.words ? column.at.map((place) => column.words[place]) : column]);
    const count = columns.length ? columns[0][1].length : 0;
    return Array.from({ length: count }, (_, i) =>
      Object.fromEntries(columns.map(([key, column]) => [key, column[i]])));
  }

  async function embed(div) {
    const spec = structuredClone(page.specs[div.dataset.chart]);
    const name = spec.usermeta.data;
    spec.datasets = { [name]: rowsOf(name) };
    for (const param of spec.params ?? []) {
      if (param.name in choices) param.value = choices[param.name];
      if (param.name === "last") param.value = page.last;
    }
    const made = await vegaEmbed(div, spec, {
      renderer: "svg",
      ast: true,  // expressions are interpreted: the page's policy lets no text become code
      actions: { export: true, source: false, compiled: false, editor: false },
    });
    made.view.addEventListener("click", (_, item) => pick(item?.datum));
    views.push({ view: made.view, div, name, filters: spec.usermeta.filters });
  }

  function pick(datum) {
    if (!datum) return;
    if (datum.response !== undefined && "response" in choices) choose("response", datum.response);
    if (datum.condition !== undefined && "condition" in choices)
      choose("condition", choices.condition === datum.condition ? "" : datum.condition);
  }

  async function choose(key, value) {
    if (choices[key] === value) return;
    choices[key] = value;
    const select = document.getElementById(`choice-${key}`);
    if (select) select.value = value;
    say();
    busy(1);
    for (const { view } of views) {
      view.signal(key, value);
      await view.runAsync();
    }
    document.querySelectorAll("details.rows[open]").forEach(fill);
    busy(-1);
  }

  // A second choice may come while the first is still drawn; ready is who has drawn all.
  function busy(more) {
    drawing += more;
    root.dataset.ready = drawing ? "no" : "yes";
  }

  function say() {
    const condition = choices.condition ? `condition ${choices.condition}` : "all conditions";
    document.getElementById("said").textContent = `Shown: ${condition}.`;
  }

  // The numbers behind a picture, as far as the choices let them through.
  function fill(details) {
    const { name, filters } = views.find(({ div }) => div.dataset.chart === details.dataset.of);
    const rows = rowsOf(name).filter((row) =>
      filters.every((key) => !choices[key] || row[key] === choices[key]));
    const table = document.createElement("table");
    const keys = Object.keys(rows[0] ?? {});
    table.createCaption().textContent = rows.length > MOST_ROWS
      ? `The first ${MOST_ROWS} of ${rows.length} rows; the files beside this page have all.` : `${rows.length} rows`;
    const head = table.createTHead().insertRow();
    for (const key of keys) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = key.replaceAll("_", " ");
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows.slice(0, MOST_ROWS)) {
      const line = body.insertRow();
      for (const key of keys) {
        const cell = line.insertCell();
        cell.textContent = row[key] ?? "";
        if (typeof row[key] === "number") cell.className = "number";
      }
    }
    details.querySelector("div").replaceChildren(table);
  }

  async function start() {
    for (const key of Object.keys(choices)) {
      const select = document.getElementById(`choice-${key}`);
      if (!select) continue;
      select.value = choices[key];
      select.addEventListener("change", () => choose(key, select.value));
    }
    document.querySelector("form.choices")?.addEventListener("submit", (event) => event.preventDefault());
    document.getElementById("all")?.addEventListener("click", () => choose("condition", ""));
    say();
    for (const div of document.querySelectorAll("div.chart")) await embed(div);
    for (const details of document.querySelectorAll("details.rows"))
      details.addEventListener("toggle", () => details.open && fill(details));
    window.headgate = { views, choices, choose };
    root.dataset.ready = "yes";
  }
  start();
})();
