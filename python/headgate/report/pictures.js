// Draws each picture in its place. On canvas: lines of thousands of points are slow as SVG.
"use strict";
(async () => {
  const specs = JSON.parse(document.getElementById("specs").textContent);
  for (const div of document.querySelectorAll("div.chart")) {
    await vegaEmbed(div, specs[div.dataset.chart], {
      renderer: "canvas",
      ast: true,  // expressions are interpreted: the page's policy lets no text become code
      actions: { export: true, source: false, compiled: false, editor: false },
    });
  }
  document.documentElement.dataset.ready = "yes";
})();
