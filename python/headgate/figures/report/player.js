// Moves through a run: a line at the time in every picture over time, what comes later is faded, and
// the values at that time are listed. It waits for the pictures, which announce themselves as "drawn".
"use strict";
(() => {
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const form = find("player"), button = find("play"), slider = find("time"), speeds = find("speed");
  const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const STEPS = 500;  // places of the slider
  const LASTS_S = 30;  // a run takes at most so long unless another speed is chosen
  const HEARD_MS = 400;  // a slider that moves is described once it rests
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let panels = [], readings = [], start = 0, end = 0, now = 0, digits = 1;
  let stop = null, shownAt = 0, describing = 0;

  const write = (value) => (Number.isFinite(value) ? Number(value.toPrecision(4)).toLocaleString("en") : "");

  // The newest value up to a time: rows are in order of time.
  function read(rows, time) {
    let low = 0, high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].x <= time) low = middle + 1; else high = middle;
    }
    return low ? rows[low - 1].y : NaN;
  }

  function element(name, text, kind) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  // One table for each picture over time, and a row for each of its lines.
  function list(spec, colours) {
    const { title, unit } = spec.usermeta;
    const found = spec.usermeta.readings.map((line) => ({ ...line, data: spec.datasets[line.rows] }));
    if (!found.length) return;
    const top = found.reduce((most, { data }) => data.reduce((m, row) => Math.max(m, row.y), most), 0);
    const table = element("table"), body = element("tbody");
    table.append(element("caption", title), body);
    for (const line of found) {
      const row = element("tr"), name = element("th", line.name), bar = element("td", "", "bar");
      const fill = element("span"), number = element("td", "", "number");
      name.scope = "row";
      fill.style.background = colours[line.colour] ?? line.colour;
      bar.append(fill);
      row.append(name, bar, number);
      body.append(row);
      readings.push({ name: line.name, unit, data: line.data, top, fill, number });
    }
    find("values").querySelector("div").append(table);
  }

  // Lays the line and the veil over the part of a picture that lies after the time.
  function place({ div, view, veil }) {
    const canvas = div.querySelector("canvas"), scale = view.scale("x");
    const [x, y] = view.origin(), padding = view.padding();
    const width = view.signal("width"), height = view.signal("height");
    const at = Math.max(0, scale(now));
    veil.hidden = now >= end || at > width;
    veil.classList.toggle("before", scale(now) < 0);  // the time lies before the part that is shown
    veil.style.left = `${canvas.offsetLeft + padding.left + x + at - 1}px`;
    veil.style.top = `${canvas.offsetTop + padding.top + y}px`;
    veil.style.width = `${width - at}px`;
    veil.style.height = `${height}px`;
  }

  function show(time) {
    now = Math.min(Math.max(time, start), end);
    slider.value = now;
    const words = `${now.toFixed(digits)} of ${end.toFixed(digits)} s`;
    find("at").textContent = words;
    slider.setAttribute("aria-valuetext", words);
    panels.forEach(place);
    for (const one of readings) {
      const value = read(one.data, now);
      one.number.textContent = write(value);
      one.fill.style.width = `${100 * Math.max(0, Math.min(1, value / one.top || 0))}%`;
    }
  }

  function describe() {
    clearTimeout(describing);
    describing = setTimeout(() => {
      const said = readings.slice(0, 8).map((one) => `${one.name} ${one.number.textContent} ${one.unit}`);
      find("heard").textContent = `${now.toFixed(digits)} s: ${said.join("; ")}`;
    }, HEARD_MS);
  }

  function pause() {
    stop?.();
    stop = null;
    button.textContent = "Play";
    describe();
  }

  // With reduced motion the time jumps once a second; otherwise it moves with the screen.
  function wait() {
    if (calm.matches) {
      const waiting = setTimeout(() => step(performance.now()), 1000);
      stop = () => clearTimeout(waiting);
    } else {
      const frame = requestAnimationFrame(step);
      stop = () => cancelAnimationFrame(frame);
    }
  }

  function step(at) {
    show(now + Math.max(0, at - shownAt) / 1000 * Number(speeds.value));
    shownAt = at;
    if (now >= end) pause(); else wait();
  }

  function play() {
    if (now >= end) show(start);
    button.textContent = "Pause";
    shownAt = performance.now();
    wait();
  }

  const toggle = () => (stop ? pause() : play());
  button.addEventListener("click", toggle);
  slider.addEventListener("input", () => { show(Number(slider.value)); describe(); });
  slider.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    toggle();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("resize", () => requestAnimationFrame(() => panels.forEach(place)));

  // The first picture decides the span of time; a page that is drawn again keeps its time.
  function begin() {
    const times = readings.flatMap(({ data }) => (data.length ? [data[0].x, data[data.length - 1].x] : []));
    [start, end] = [Math.min(0, ...times), Math.max(...times)];
    digits = Math.max(0, Math.min(4, Math.ceil(2 - Math.log10(end - start))));
    Object.assign(slider, { min: start, max: end, step: (end - start) / STEPS });
    for (const speed of SPEEDS) speeds.append(new Option(`${speed} ×`, speed));
    speeds.value = SPEEDS.find((speed) => speed * LASTS_S >= end - start) ?? SPEEDS[SPEEDS.length - 1];
    now = end;
    form.hidden = find("values").hidden = false;
  }

  root.addEventListener("drawn", ({ detail: { specs, shown, darken } }) => {
    panels = [];
    readings = [];
    find("values").querySelector("div").replaceChildren();
    for (const [div, view] of shown) {
      const spec = specs[div.dataset.chart];
      if (!spec.usermeta?.readings) continue;
      const veil = element("div", "", "now");
      veil.setAttribute("aria-hidden", "true");
      div.append(veil);
      const panel = { div, view, veil };
      panels.push(panel);
      view.addSignalListener("zoom_x", () => requestAnimationFrame(() => place(panel)));
      list(spec, root.dataset.theme === "dark" ? darken : {});
    }
    if (!readings.length) return;
    if (form.hidden) begin();
    show(now);
  });
})();
