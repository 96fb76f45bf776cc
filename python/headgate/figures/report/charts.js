// Draws interactive pictures once they are seen, and filters all of them by the same choices.
"use strict";
(() => {
  const root = document.documentElement;
  const page = JSON.parse(document.getElementById("charts").textContent);
  const choices = { ...page.first };
  const views = new Map();
  const MOST_ROWS = 300;
  const NARROW = 640, LABELS = 170, LEAST_LABELS = 110, LEAST_STEP = 7, LETTER = 10, TICKS = 20, PANEL = 60;
  let drawing = 0;

  // Columns to rows; each picture gets its own, since Vega writes into them.
  function rowsOf(name) {
    const columns = Object.entries(page.data[name] ?? {}).map(([key, column]) =>
      [key, column.words ? column.at.map((place) => column.words[place]) : column]);
    const count = columns.length ? columns[0][1].length : 0;
    return Array.from({ length: count }, (_, i) =>
      Object.fromEntries(columns.map(([key, column]) => [key, column[i]])));
  }

  // Colours from less to more run over what is neither, which is as light or dark as the page.
  function colour(spec) {
    if (root.dataset.theme !== "dark") return JSON.parse(JSON.stringify(spec));
    const change = (text, [light, dark]) => text.replaceAll(JSON.stringify(light), JSON.stringify(dark));
    return JSON.parse(page.signed.reduce(change, JSON.stringify(spec)));
  }

  // What has a width of its own is fitted into a narrow page, as far as it can still be read.
  function fit(spec, rows, width) {
    if (spec.columns) spec.columns = Math.max(1, Math.min(spec.columns, Math.floor(width / (spec.spec.width + PANEL))));
    if (width > NARROW) return;
    spec.config.lineBreak = "\n";
    spec.config.legend.orient = "bottom";
    spec.config.legend.columns = 3;
    spec.config.legend.layout = { bottom: { direction: "vertical", anchor: "start" } };
    spec.config.axis.labelLimit = LABELS;
    if (!spec.width?.step) return;
    // Cells leave room for the labels beside them, and these take what is left.
    const x = (spec.encoding ?? spec.layer[0].encoding).x.field;
    const count = new Set(rows.map((row) => row[x])).size;
    const room = width - TICKS;
    spec.width.step = Math.max(LEAST_STEP, Math.min(spec.width.step, Math.floor((room - LABELS) / count)));
    spec.config.axis.labelLimit = Math.max(LEAST_LABELS, room - count * spec.width.step);
    if (spec.width.step < LETTER) spec.config.axisX = { labelOverlap: true };  // names of some columns only
  }

  async function embed(div) {
    const spec = colour(page.specs[div.dataset.chart]);
    const name = spec.usermeta.data;
    const rows = rowsOf(name);
    spec.datasets = { [name]: rows };
    fit(spec, rows, div.clientWidth);
    for (const param of spec.params ?? []) {
      if (param.name in choices) param.value = choices[param.name];
      if (param.name === "last") param.value = page.last;
      if (param.name === "where") param.value = where();
    }
    const made = await vegaEmbed(div, spec, {
      renderer: "svg",
      ast: true,  // expressions are interpreted: the page's policy lets no text become code
      tooltip: { theme: root.dataset.theme },
      actions: { export: true, source: false, compiled: false, editor: false },
    });
    div.querySelector(":scope > details > summary")?.setAttribute("aria-label", "Save this picture");
    made.view.addEventListener("click", (_, item) => pick(item?.datum));
    views.set(div, { view: made.view, filters: spec.usermeta.filters, name });
  }

  // The condition of a picture that shows one alone, in words.
  function where() {
    const shown = choices.condition || page.last;
    const words = page.words[shown] ?? shown;
    // A title wider than the page would leave its picture no room.
    return innerWidth > NARROW ? words : words.replace(/(.{20,}?), /g, "$1,\n");
  }

  // Whatever is seen and not drawn yet; a picture in a closed section has no width to be drawn in.
  async function draw() {
    busy(1);
    for (const div of document.querySelectorAll("div.chart"))
      if (!views.has(div) && div.clientWidth) {
        views.set(div, null);
        await embed(div);
      }
    busy(-1);
  }

  function drawn() {
    return [...views].filter(([, one]) => one);
  }

  async function redraw() {
    for (const [div, { view }] of drawn()) {
      view.finalize();
      views.delete(div);
    }
    await draw();
  }

  function pick(datum) {
    if (!datum) return;
    if (datum.response !== undefined && document.getElementById("choice-response")) choose("response", datum.response);
    if (datum.condition !== undefined && "condition" in choices)
      choose("condition", choices.condition === datum.condition ? "" : datum.condition);
  }

  async function choose(key, value) {
    if (choices[key] === value) return;
    choices[key] = value;
    const select = document.getElementById(`choice-${key}`);
    if (select) select.value = value;
    if (key === "response") choices.title = select.selectedOptions[0].textContent;
    say();
    busy(1);
    for (const [, { view }] of drawn()) {
      view.signal(key, value).signal("title", choices.title ?? "").signal("where", where());
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
    const said = document.getElementById("said");
    if (!said) return;
    const words = page.words[choices.condition];
    said.textContent = choices.condition
      ? `Shown: ${words ?? choices.condition}${words && words !== choices.condition ? ` (${choices.condition})` : ""}.`
      : "Shown: all conditions.";
  }

  // The numbers behind a picture, as far as the choices let them through.
  function fill(details) {
    const name = details.dataset.of;
    const { data, filters } = page.specs[name].usermeta;
    const rows = rowsOf(data).filter((row) =>
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
    await draw();
    // Events of details do not bubble, and are seen on their way down.
    document.addEventListener("toggle", (event) => {
      if (event.target.matches("details.rows") && event.target.open) fill(event.target);
      else draw();
    }, true);
    new MutationObserver(redraw).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  }
  start();
})();
