// The page of several methods side by side.

const methods = Object.entries(DATA.methods);
const names = methods.map(([name]) => name);
const colours = names.map((_, i) => groupColour(i));
const sizes = Object.keys(methods[0][1].accuracy);
const { feature: features, ranks, n_ordered: ordered } = DATA.all_features;

// -- the table of methods --------------------------------------------------------------------------------------------

const decimals = (digits) => (value) => (value === null ? "–" : value.toFixed(digits));
const measures = [
  ...sizes.map((size) => ({
    name: `accuracy, ${size}`,
    text: (facts) =>
      facts.accuracy[size] === null
        ? "–"
        : `${facts.accuracy[size].toFixed(3)} ± ${facts.accuracy_deviation[size].toFixed(3)}`,
    permuted: (facts) => decimals(3)(facts.accuracy_permuted[size]),
    best: DATA.best[size],
  })),
  { name: "redundancy", text: (facts) => decimals(2)(facts.redundancy) },
  {
    name: "stability",
    text: (facts) => decimals(2)(facts.stability),
    permuted: (facts) => decimals(2)(facts.stability_permuted),
  },
  { name: "seconds", text: (facts) => decimals(2)(facts.seconds) },
];
const measured = (measure, name, facts) =>
  make(
    "td",
    { class: measure.best === name ? "best" : null },
    measure.text(facts),
    measure.permuted && measure.text(facts) !== "–"
      ? make("span", { class: "permuted" }, `permuted ${measure.permuted(facts)}`)
      : null,
  );
byId("methods").tHead.append(
  make("tr", {}, make("th", { scope: "col" }, "method"), ...measures.map((m) => make("th", { scope: "col" }, m.name))),
);
byId("methods").tBodies[0].append(
  ...methods.map(([name, facts]) =>
    make("tr", {}, make("th", { scope: "row" }, name), ...measures.map((m) => measured(m, name, facts))),
  ),
);

// -- charts ----------------------------------------------------------------------------------------------------------

const curveOf = (facts) => {
  const [values, spread, permuted] = ["accuracy", "accuracy_deviation", "accuracy_permuted"].map((key) =>
    sizes.map((size) => facts[key][size]),
  );
  return { values, spread, permuted };
};
legend(byId("method-legend"), names, colours);
chart(byId("accuracy-chart"), (width) =>
  lineChart(
    width,
    sizes.map(Number),
    methods.map(([name, facts], i) => ({ name, colour: colours[i], ...curveOf(facts) })),
    {
      level: DATA.chance,
      xName: "features",
      yName: "accuracy",
      label: `Accuracy of ${names.join(", ")} against the number of features.`,
    },
  ),
);

const between = (key) => methods.map(([name, facts]) => names.map((other) => (other === name ? 1 : facts[key][other])));
chart(byId("shared-chart"), (width) =>
  heatMap(width, names, between("shared"), {
    format: (v) => `${Math.round(100 * v)}%`,
    label: "Shared features of two methods.",
  }),
);
chart(byId("agreement-chart"), (width) =>
  heatMap(width, names, between("agreement"), { signed: true, label: "Rank correlations of two methods." }),
);

// -- features --------------------------------------------------------------------------------------------------------

featureTable(byId("feature-table"), {
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
