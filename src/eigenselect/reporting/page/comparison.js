// The page of several methods side by side.

const methods = Object.entries(DATA.methods);
const names = methods.map(([name]) => name);
const sizes = Object.keys(DATA.best);
const { feature: features, ranks, n_ordered: ordered } = DATA.all_features;

// -- accuracies ------------------------------------------------------------------------------------------------------

const bySize = (values) => sizes.map((size) => values[size]);
const series = methods.map(([name, facts]) => ({
  name,
  values: bySize(facts.accuracy),
  spread: bySize(facts.accuracy_deviation),
  permuted: bySize(facts.accuracy_permuted),
}));
const beside = {
  range: bySize(DATA.permuted_range),
  chance: DATA.chance,
  label: `Accuracy of ${names.map((name) => shortened(name, 60)).join(", ")} against the number of features.`,
};
chart(byId("accuracy-chart"), (width) =>
  sizes.length > 1
    ? accuracyCurves(width, sizes.map(Number), series, beside)
    : accuracyDots(width, Number(sizes[0]), series, beside),
);

// -- features --------------------------------------------------------------------------------------------------------

const table = featureTable(byId("feature-table"), {
  rows: features.length,
  file: "ranks.csv",
  columns: [
    {
      name: "mean rank",
      key: "mean_rank",
      value: (row) => names.reduce((sum, name) => sum + ranks[name][row], 0) / names.length,
      right: true,
    },
    {
      name: "feature",
      value: (row) => features[row],
      cell: (row) => make("span", { class: "choose", title: features[row] }, features[row]),
      searched: true,
    },
    ...names.map((name) => ({
      name,
      value: (row) => ranks[name][row],
      cell: (row) =>
        make(
          "span",
          { class: ranks[name][row] <= DATA.n_selected ? "best" : null },
          ranks[name][row] > ordered[name] ? "–" : String(ranks[name][row]),
        ),
      right: true,
    })),
  ],
});

byId("save-table").addEventListener("click", () => table.save());
byId("copy-names").addEventListener("click", () => {
  const { feature, count } = DATA.consensus;
  const most = Math.max(...count);
  const kept = feature.filter((_, row) => count[row] === most);
  copyAndTell(kept.join("\n") + "\n", `${kept.length} names that ${most} of ${names.length} methods keep`);
});
