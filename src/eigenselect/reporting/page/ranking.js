// The page of one ranking.

const { feature: names, selected } = DATA.all_features;
const kept = new Set(selected);
const cut = selected.at(-1) === kept.size - 1 ? kept.size : 0; // none where others than the first are kept
const [scores, natives] = [numbers(DATA.all_features.score), numbers(DATA.all_features.native_score)];
const { groups, samples, embedding } = DATA.views;
const groupColours = groups.names.map((_, i) => groupColour(i));
const parts = new Float32Array(Uint8Array.from(atob(DATA.values.parts), (c) => c.charCodeAt(0)).buffer);
let chosen = null; // place of the chosen feature in the ranking
const across = [...(embedding?.axes ?? [])]; // places of the two eigenvectors that are drawn

const knee = DATA.significance ? 0 : DATA.scores.knee; // noise has one, too, and q-values say more
chart(byId("score-chart"), (width) => scoreCurve(width, scores.slice(0, DATA.n_ordered), cut, knee, selected));
if (DATA.views.spectrum) chart(byId("spectrum-chart"), (width) => spectrumChart(width, DATA.views.spectrum));
if (DATA.views.degrees)
  chart(byId("degree-chart"), (width) => histogram(width, DATA.views.degrees, "degree (sum of similarities)"));

// -- samples ---------------------------------------------------------------------------------------------------------

/** Values of a feature on the samples shown, or null if the page does not hold them. */
function valuesOf(place) {
  const length = samples.number.length;
  if (place >= DATA.values.count) return null;
  return Array.from(parts.subarray(place * length, (place + 1) * length), (part) => part * DATA.values.scale[place]);
}

const sampleName = (i) => (samples.name ? shortened(samples.name[i], 60) : `sample ${samples.number[i] + 1}`);
const groupName = (code) => (code < 0 ? "in no cluster" : shortened(groups.names[code], 60));

/** The ends of the colours: the middle 96 % of the values, so that a stray one does not make all others alike. */
function colourEnds(values) {
  const sorted = Float64Array.from(values).sort();
  const [low, high] = [0.02, 0.98].map((q) => sorted[Math.round(q * (sorted.length - 1))]);
  return low < high ? [low, high] : [sorted[0], sorted.at(-1)];
}

/** Where and at which scale a feature varies over the drawn graph, or null if the page does not hold it. */
const explained = (place) => DATA.views.explanations?.features[place] ?? null;

function embeddingChart(width) {
  const values = chosen === null ? null : valuesOf(chosen);
  const [low, high] = values ? colourEnds(values) : [];
  const colour = (i) =>
    values
      ? valueColour((values[i] - low) / (high - low || 1))
      : samples.group[i] < 0
        ? "var(--soft)"
        : groupColours[samples.group[i]];
  const titles = samples.group.map(
    (g, i) => `${sampleName(i)}, ${groupName(g)}${values ? `: ${readable(values[i])}` : ""}`,
  );
  const axisNames = across.map((axis) => `eigenvector ${embedding.eigenvectors[axis]}`);
  const label = `${samples.number.length} samples in two eigenvectors, coloured by ${values ? shortened(names[chosen], 60) : groups.kind}.`;
  const key = values ? valueKey(low, high) : make("ul", { class: "legend" });
  if (!values) legend(key, groups.names, groupColours);
  return make(
    "div",
    {},
    key,
    scatter(
      width,
      ...across.map((axis) => embedding.coordinates[axis]),
      samples.group.map((_, i) => colour(i)),
      titles,
      axisNames,
      label,
      chosen === null ? [] : explained(chosen)?.edges,
    ),
  );
}

function valueKey(low, high) {
  const stops = [0, 0.25, 0.5, 0.75, 1].map(valueColour).join(", ");
  const strip = make("span", {
    style: { width: "140px", height: "11px", borderRadius: "3px", background: `linear-gradient(to right, ${stops})` },
  });
  return make(
    "ul",
    { class: "legend" },
    make("li", {}, make("span", {}, readable(low)), strip, make("span", {}, readable(high))),
  );
}

const repaintEmbedding = embedding ? chart(byId("embedding-chart"), embeddingChart) : () => {};

["across", "up"].forEach((id, place) => {
  const list = byId(id);
  if (!list) return;
  list.append(...embedding.eigenvectors.map((number, axis) => make("option", { value: axis }, String(number))));
  list.value = across[place];
  list.addEventListener("change", () => ((across[place] = Number(list.value)), repaintEmbedding()));
});

// -- features --------------------------------------------------------------------------------------------------------

const [lowest, highest] = [Math.min(0, DATA.scores.lowest ?? 0), DATA.scores.best ?? 1];
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
const barOf = (place) =>
  make("div", {
    style: {
      width:
        scores[place] === null || highest <= lowest
          ? "0"
          : `${Math.max(1, (100 * (scores[place] - lowest)) / (highest - lowest))}%`,
    },
  });

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

function choose(place) {
  chosen = place === chosen ? null : place;
  const focused = document.activeElement?.classList.contains("choose") ? document.activeElement.title : null;
  table.repaint();
  if (focused !== null) [...document.querySelectorAll(".choose")].find((button) => button.title === focused)?.focus();
  fillColours();
  repaintEmbedding();
  repaintChosen();
}

/** The list of what samples can be coloured by: groups, the best features, and the chosen one wherever it ranks. */
function fillColours() {
  const list = byId("colour");
  if (!list) return;
  const places = Array.from({ length: Math.min(50, DATA.values.count) }, (_, i) => i);
  if (chosen !== null && chosen >= places.length && chosen < DATA.values.count) places.push(chosen);
  list.replaceChildren(
    make("option", { value: "" }, groups.kind),
    ...places.map((i) => make("option", { value: i }, `${i + 1}. ${shortened(names[i], 40)}`)),
  );
  list.value = chosen !== null && chosen < DATA.values.count ? String(chosen) : "";
}

byId("colour")?.addEventListener("change", (event) =>
  choose(event.target.value === "" ? chosen : Number(event.target.value)),
);

// -- distributions ---------------------------------------------------------------------------------------------------

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

legend(
  byId("group-legend"),
  groups.names.map((name, i) => `${name} (${groups.sizes[i]})`),
  groupColours,
);
DATA.views.distributions.forEach((shown, place) => {
  const inside = make("div");
  byId("distribution-charts").append(
    make("div", {}, make("h3", { title: shown.feature }, `${shown.rank}. ${shown.feature}`), inside),
  );
  chart(inside, (width) => distributionOf(place, width));
});

chart(byId("redundancy-chart"), (width) =>
  heatMap(width, DATA.views.redundancy.features, DATA.views.redundancy.correlation, {
    signed: true,
    label: "Correlations of the best features.",
  }),
);
fillColours();
if (DATA.views.significance) drawSignificance(DATA.views.significance, DATA.all_features, DATA.significance.alpha);
