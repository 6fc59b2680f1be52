// The table of features.

const choice = (place) =>
  make(
    "button",
    {
      type: "button",
      class: "choose",
      title: names[place],
      "aria-pressed": String(place === chosen),
      onclick: () => choose(place),
    },
    names[place],
  );
const barOf = (place) => {
  const share = scoreShare(scores[place]);
  return make("div", { style: { width: share === null ? "0" : `${Math.max(1, 100 * share)}%` } });
};

const lined = (value) => readable(value, 4, true);

const table = featureTable(byId("feature-table"), {
  rows: names.length,
  file: "ranking.csv",
  marked: (place) => kept.has(place),
  columns: [
    { name: "rank", value: (place) => (place < DATA.n_ordered ? place + 1 : null), right: true },
    { name: "feature", value: (place) => names[place], cell: choice, searched: true },
    { name: "score", value: (place) => scores[place], text: lined, right: true, fallingFirst: true },
    {
      name: `native (${DATA.native_direction} is good)`,
      key: "native_score",
      value: (place) => natives[place],
      text: lined,
      right: true,
    },
    ...evidenceColumns(DATA.all_features),
    { name: "", plain: true, value: () => null, cell: barOf, className: "bar" },
  ],
});

whenChosen.push(() => {
  const focused = document.activeElement?.classList.contains("choose") ? document.activeElement.title : null;
  table.repaint();
  if (focused !== null) [...document.querySelectorAll(".choose")].find((button) => button.title === focused)?.focus();
});
