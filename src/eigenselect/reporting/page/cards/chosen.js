// The chosen feature: its values by group, and why it scores.

/** Distribution of a feature by group on the samples shown, where the summary has none on all of them. */
function sampled(place) {
  const values = valuesOf(place);
  if (!values) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const binOf = (value) => (high > low ? Math.min(23, Math.floor((24 * (value - low)) / (high - low))) : 12);
  const rows = groups.names.map((_, group) => ({
    group,
    inside: values.filter((_, i) => samples.group[i] === group).sort((a, b) => a - b),
  }));
  return {
    low,
    high,
    groups: rows
      .filter(({ inside }) => inside.length)
      .map(({ group, inside }) => ({
        group,
        n: inside.length,
        quartiles: [0, 0.25, 0.5, 0.75, 1].map((q) => quantile(inside, q)),
        counts: inside.reduce((counts, value) => (counts[binOf(value)]++, counts), new Array(24).fill(0)),
      })),
  };
}

/** Between the two nearest of sorted values, as numpy does. */
function quantile(sorted, share) {
  const place = share * (sorted.length - 1);
  const left = Math.floor(place);
  return sorted[left] + (place - left) * ((sorted[left + 1] ?? sorted[left]) - sorted[left]);
}

function distributionOf(place, width) {
  const shown = DATA.views.distributions[place] ?? sampled(place);
  return (
    shown && distribution(width, shown, groups.names, groupColours, `${shortened(names[place], 60)} by ${groups.kind}.`)
  );
}

const repaintChosen = chart(byId("chosen-chart"), (width) => {
  if (chosen === null)
    return make(
      "p",
      { class: "about" },
      "Choose a feature in the table: its values are shown here, and the samples above take their colour from it.",
    );
  const half = width > 740 ? (width - 28) / 2 : width; // two columns, or one below the other
  const picture = distributionOf(chosen, Math.min(half, 640));
  const facts = `${chosen < DATA.n_ordered ? `rank ${chosen + 1} of ${names.length}` : "not ordered"}, score ${readable(scores[chosen])}${evidenceOfChosen()}`;
  const list = make("ul", { class: "legend" });
  legend(list, groups.names, groupColours);
  const missing = `This page holds the values of the ${DATA.values.count} best features only.`;
  return make(
    "div",
    {},
    make("h3", { class: "name", title: names[chosen] }, names[chosen]),
    make("p", { class: "about" }, facts),
    make(
      "div",
      { class: "beside" },
      make("div", {}, ...(picture ? [list, picture] : [make("p", {}, missing)])),
      make("div", {}, ...whyChosen(half)),
    ),
  );
});

/** The p-value and q-value of the chosen feature, as far as there are any. */
function evidenceOfChosen() {
  const { pvalue, qvalue } = DATA.all_features;
  const known = Object.entries({ p: pvalue, q: qvalue }).filter(([, values]) => values);
  return known.map(([name, values]) => `, ${name} ${probability(values[chosen])}`).join("");
}

/** At which scale the chosen feature varies, and where it is rough. */
function whyChosen(width) {
  const [view, found] = [DATA.views.explanations, explained(chosen)];
  if (!found?.shares) return [];
  const half = halfOf(found.shares, view);
  const said =
    `Shares of its variation by eigenvalue of ${view.of}. ${half} ` +
    `Lines: the mean of its values when they are shuffled over the samples, and above it what 99 of 100 shuffles of a bell-shaped feature stay below. ` +
    (view.saw_features
      ? "This graph was made of the features, so noise among them is slower than shuffled values, too: a bar above the line is no discovery."
      : "If the graph was made of these features, noise among them is slower than shuffled values, too.");
  const rough = `The ${found.edges.length} lines in the picture of the samples join the neighbours between which it differs most: ${readable(100 * found.edge_share, 2)} % of its roughness.`;
  const key = make("ul", { class: "legend" });
  const colours = ["var(--accent)", "var(--cut)", "var(--soft)"];
  legend(key, [shortened(names[chosen], 40), "shuffled: mean", "shuffled: 99 of 100"], colours);
  return [
    make("h4", {}, "At which scale it varies"),
    make("p", { class: "about" }, said),
    key,
    scaleChart(Math.min(width, 640), view, found.shares, `Shares of ${shortened(names[chosen], 60)} by eigenvalue.`),
    ...(found.edges.length && embedding ? [make("p", { class: "about" }, rough)] : []),
  ];
}

/** How far half of the variation reaches, beside shuffled values. */
function halfOf(shares, { borders, expected }) {
  let [sum, shuffled, i] = [0, 0, 0];
  while (i < shares.length && sum < 0.5) ((sum += shares[i]), (shuffled += expected[i]), i++);
  return `${Math.round(100 * sum)} % of it lies at eigenvalues up to ${readable(borders[i], 2)}, where shuffled values have ${readable(100 * shuffled, 2)} %.`;
}

whenChosen.push(repaintChosen);
