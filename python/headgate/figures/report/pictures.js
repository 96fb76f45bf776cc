// Draws each picture in its place, light or dark. On canvas: lines of thousands of points are slow as SVG.
"use strict";
(async () => {
  const root = document.documentElement;
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const specs = read("specs"), dark = read("dark");
  const views = [];
  const shown = new Map();  // the view of each picture, by its place
  const system = matchMedia("(prefers-color-scheme: dark)");
  let drawing = Promise.resolve();

  // Colours stand under few keys; names of flows, which may be words for colours, under others.
  const COLOURED = new Set(["color", "fill", "stroke", "range"]);
  const darken = (colour) => dark.colours[colour] ?? colour;
  function replace(key, value) {
    if (!COLOURED.has(key)) return value;
    return Array.isArray(value) ? value.map(darken) : darken(value);
  }

  function merge(one, other) {
    const both = { ...one };
    for (const [key, value] of Object.entries(other))
      both[key] = typeof value === "object" ? merge(both[key] ?? {}, value) : value;
    return both;
  }

  function colour(spec) {
    if (root.dataset.theme !== "dark") return spec;
    const { datasets, ...rest } = spec;
    const changed = JSON.parse(JSON.stringify(rest), replace);
    return { ...changed, datasets, config: merge(changed.config, dark.config) };
  }

  async function embed(div) {
    const made = await vegaEmbed(div, colour(specs[div.dataset.chart]), {
      renderer: "canvas",
      ast: true,  // expressions are interpreted: the page's policy lets no text become code
      tooltip: { theme: root.dataset.theme },
      actions: { export: true, source: false, compiled: false, editor: false },
    });
    div.querySelector(":scope > details > summary")?.setAttribute("aria-label", "Save this picture");
    views.push(made);
    shown.set(div, made.view);
  }

  async function draw() {
    while (views.length) views.pop().finalize();
    shown.clear();
    for (const div of document.querySelectorAll("div.chart")) await embed(div);
    root.dispatchEvent(new CustomEvent("drawn", { detail: { specs, shown, darken: dark.colours } }));
    root.dataset.ready = "yes";
  }

  // One after another: a picture that is drawn twice at once would stand there twice.
  function show(theme) {
    root.dataset.theme = theme;
    root.dataset.ready = "no";
    drawing = drawing.then(draw);
  }

  const follow = () => show(system.matches ? "dark" : "light");
  system.addEventListener("change", follow);
  document.getElementById("theme").addEventListener("click", () => show(root.dataset.theme === "dark" ? "light" : "dark"));
  follow();
})();
