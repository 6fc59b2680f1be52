// The page of several methods side by side.

const methods = Object.entries(DATA.methods);
const names = methods.map(([name]) => name);
const colours = names.map((_, i) => groupColour(i));
const sizes = Object.keys(methods[0][1].accuracy);
const { feature: features, ranks, n_ordered: ordered } = DATA.all_features;

// -- the table of methods --------------------------------------------------------------------------------------------

const measures = [
  ...sizes.map((size) => ({ name: `accuracy, ${size}`, of: (facts) => facts.accuracy[size], best: Math.max, text: (v) => v.toFixed(3) })),
  { name: "redundancy", of: (facts) => facts.redundancy, best: Math.min, text: (v) => v.toFixed(2) },
  { name: "stability", of: (facts) => facts.stability, best: Math.max, text: (v) => v.toFixed(2) },
  { name: "seconds", of: (facts) => facts.seconds, best: Math.min, text: (v) => v.toFixed(2) },
];
for (const measure of measures) {
  const known = methods.map(([, facts]) => measure.of(facts)).filter((value) => value !== null);
  measure.record = known.length ? measure.best(...known) : null;
}
const measured = (measure, facts) => {
  const value = measure.of(facts);
  return make("td", { class: value !== null && value === measure.record ? "best" : null }, value === null ? "–" : measure.text(value));
};
byId("methods").tHead.append(make("tr", {}, make("th", { scope: "col" }, "method"), ...measures.map((m) => make("th", { scope: "col" }, m.name))));
byId("methods").tBodies[0].append(...methods.map(([name, facts]) => make("tr", {}, make("th", { scope: "row" }, name), ...measures.map((m) => measured(m, facts)))));

// -- charts ----------------------------------------------------------------------------------------------------------

legend(byId("method-legend"), names, colours);
chart(byId("accuracy-chart"), (width) =>
  lineChart(width, sizes.map(Number), methods.map(([name, facts], i) => ({ name, colour: colours[i], values: sizes.map((size) => facts.accuracy[size]) })), {
    level: DATA.chance,
    xName: "features",
    yName: "accuracy",
    label: `Accuracy of ${names.join(", ")} against the number of features.`,
  }),
);

const between = (key) => methods.map(([name, facts]) => names.map((other) => (other === name ? 1 : facts[key][other])));
chart(byId("shared-chart"), (width) => heatMap(width, names, between("shared"), { format: (v) => `${Math.round(100 * v)}%`, label: "Shared features of two methods." }));
chart(byId("agreement-chart"), (width) => heatMap(width, names, between("agreement"), { signed: true, label: "Rank correlations of two methods." }));

// -- features --------------------------------------------------------------------------------------------------------

featureTable(byId("feature-table"), {
  rows: features.length,
  file: "ranks.csv",
  columns: [
    { name: "mean rank", key: "mean_rank", value: (row) => names.reduce((sum, name) => sum + ranks[name][row], 0) / names.length, right: true },
    { name: "feature", value: (row) => features[row], cell: (row) => make("span", { class: "choose", title: features[row] }, features[row]), searched: true },
    ...names.map((name) => ({
      name,
      value: (row) => ranks[name][row],
      cell: (row) => make("span", { class: ranks[name][row] <= DATA.n_selected ? "best" : null }, ranks[name][row] > ordered[name] ? "–" : String(ranks[name][row])),
      right: true,
    })),
  ],
});
