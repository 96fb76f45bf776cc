// What every report does: light and dark, links and buttons that open what is folded, claims that filter.
"use strict";
(() => {
  const root = document.documentElement;
  const find = (id) => document.getElementById(id);

  // Light or dark: as the system has it until the button says otherwise.
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => { root.dataset.theme = system.matches ? "dark" : "light"; };
  follow();
  system.addEventListener("change", follow);
  find("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });

  // A link to what is folded opens it; browsers that do so by themselves find it open.
  function unfold() {
    const aim = find(decodeURIComponent(location.hash.slice(1)));
    for (let fold = aim?.closest("details"); fold; fold = fold.parentElement?.closest("details")) fold.open = true;
    aim?.scrollIntoView();
  }
  addEventListener("hashchange", unfold);

  const folds = [...document.querySelectorAll("section > details")];
  const all = find("open");
  all.hidden = false;
  all.addEventListener("click", () => {
    const opens = folds.some((fold) => !fold.open);
    for (const fold of folds) fold.open = opens;
    all.textContent = opens ? "Close all" : "Open all";
  });
  if (matchMedia("(max-width: 60rem)").matches) document.querySelector("nav > details").open = false;

  // Claims by verdict and by words, in any order and case.
  const filter = find("filter");
  if (filter) {
    const rows = [...document.querySelectorAll("table.claims tbody tr")];
    const said = rows.map((row) => row.textContent.toLowerCase());
    const choose = () => {
      const verdict = find("filter-verdict").value;
      const words = find("filter-text").value.toLowerCase().split(/\s+/);
      rows.forEach((row, i) => {
        row.hidden = Boolean(verdict && row.cells[0].textContent !== verdict)
          || !words.every((word) => said[i].includes(word));
      });
      find("filtered").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} claims`;
    };
    filter.hidden = false;
    filter.addEventListener("input", choose);
    filter.addEventListener("submit", (event) => event.preventDefault());
    choose();
  }

  unfold();
  if (!find("charts")) root.dataset.ready = "yes";
})();
