// The page of one ranking.

const { feature: names, score: scores, native_score: natives } = DATA.all_features;
const { groups, embedding } = DATA.views;
const groupColours = groups.names.map((_, i) => groupColour(i));
const values = DATA.values && { ...DATA.values, steps: Uint8Array.from(atob(DATA.values.steps), (c) => c.charCodeAt(0)) };
let chosen = null; // place of the chosen feature in the ranking
const across = [...(embedding?.axes ?? [])]; // places of the two eigenvectors that are drawn

chart(byId("score-chart"), (width) => scoreCurve(width, scores, DATA.cut ? DATA.n_selected : 0, DATA.scores.knee));
if (DATA.views.spectrum) chart(byId("spectrum-chart"), (width) => spectrumChart(width, DATA.views.spectrum));
if (DATA.views.degrees) chart(byId("degree-chart"), (width) => histogram(width, DATA.views.degrees, "degree (sum of similarities)"));

// -- samples ---------------------------------------------------------------------------------------------------------

/** Steps 0 to 255 of a feature on the samples shown, or null if the page does not hold them. */
function stepsOf(place) {
  const length = values ? values.steps.length / values.count : 0;
  return values && place < values.count ? values.steps.subarray(place * length, (place + 1) * length) : null;
}

const valueAt = (place, step) => (1 - step / 255) * values.low[place] + (step / 255) * values.high[place];

function embeddingChart(width) {
  const steps = chosen === null ? null : stepsOf(chosen);
  const colours = embedding.group.map((g, i) => (steps ? valueColour(steps[i] / 255) : groupColours[g]));
  const titles = embedding.group.map((g, i) => `sample ${embedding.samples[i] + 1}, ${shortened(groups.names[g], 60)}${steps ? `: ${readable(valueAt(chosen, steps[i]))}` : ""}`);
  const axisNames = across.map((axis) => `eigenvector ${embedding.eigenvectors[axis]}`);
  const label = `${embedding.samples.length} samples in two eigenvectors, coloured by ${steps ? shortened(names[chosen], 60) : groups.kind}.`;
  const key = steps ? valueKey() : make("ul", { class: "legend" });
  if (!steps) legend(key, groups.names, groupColours);
  return make("div", {}, key, scatter(width, ...across.map((axis) => embedding.coordinates[axis]), colours, titles, axisNames, label));
}

function valueKey() {
  const stops = [0, 0.25, 0.5, 0.75, 1].map(valueColour).join(", ");
  const strip = make("span", { style: { width: "140px", height: "11px", borderRadius: "3px", background: `linear-gradient(to right, ${stops})` } });
  return make("ul", { class: "legend" }, make("li", {}, make("span", {}, readable(values.low[chosen])), strip, make("span", {}, readable(values.high[chosen]))));
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
const choice = (place) => make("button", { type: "button", class: "choose", title: names[place], "aria-pressed": String(place === chosen), onclick: () => choose(place) }, names[place]);
const barOf = (place) => make("div", { style: { width: scores[place] === null || highest <= lowest ? "0" : `${Math.max(1, (100 * (scores[place] - lowest)) / (highest - lowest))}%` } });

const lined = (value) => readable(value, 4, true);

const table = featureTable(byId("feature-table"), {
  rows: names.length,
  file: "ranking.csv",
  marked: (place) => DATA.cut && place < DATA.n_selected,
  columns: [
    { name: "rank", value: (place) => place + 1, right: true },
    { name: "feature", value: (place) => names[place], cell: choice, searched: true },
    { name: "score", value: (place) => scores[place], text: lined, right: true, fallingFirst: true },
    { name: `native (${DATA.native_direction} is good)`, key: "native_score", value: (place) => natives[place], text: lined, right: true },
    { name: "", plain: true, value: () => null, cell: barOf, className: "bar" },
  ],
});

function choose(place) {
  chosen = place === chosen ? null : place;
  const keepFocus = document.activeElement?.classList.contains("choose");
  table.repaint();
  if (keepFocus) document.querySelector('.choose[aria-pressed="true"]')?.focus();
  fillColours();
  repaintEmbedding();
  repaintChosen();
}

/** The list of what samples can be coloured by: groups, the best features, and the chosen one wherever it ranks. */
function fillColours() {
  const list = byId("colour");
  if (!list) return;
  const places = Array.from({ length: Math.min(50, values?.count ?? 0) }, (_, i) => i);
  if (chosen !== null && chosen >= places.length && stepsOf(chosen)) places.push(chosen);
  list.replaceChildren(make("option", { value: "" }, groups.kind), ...places.map((i) => make("option", { value: i }, `${i + 1}. ${shortened(names[i], 40)}`)));
  list.value = chosen !== null && stepsOf(chosen) ? String(chosen) : "";
}

byId("colour")?.addEventListener("change", (event) => choose(event.target.value === "" ? chosen : Number(event.target.value)));

// -- distributions ---------------------------------------------------------------------------------------------------

/** Distribution of a feature by group from the samples shown, where the summary has no exact one. */
function sampled(place) {
  const steps = stepsOf(place);
  const code = embedding ? embedding.group : null;
  if (!steps || !code) return null;
  const parts = groups.names.map((name, g) => ({ name, steps: Array.from(steps).filter((_, i) => code[i] === g).sort((a, b) => a - b) }));
  return {
    low: values.low[place],
    high: values.high[place],
    groups: parts.filter((part) => part.steps.length).map((part) => ({
      name: part.name,
      n: part.steps.length,
      quartiles: [0, 0.25, 0.5, 0.75, 1].map((q) => valueAt(place, part.steps[Math.round(q * (part.steps.length - 1))])),
      counts: part.steps.reduce((counts, step) => (counts[Math.min(23, Math.floor(step / (256 / 24)))]++, counts), new Array(24).fill(0)),
    })),
  };
}

const coloursOf = (shown) => shown.groups.map((group) => groupColours[groups.names.indexOf(group.name)]);

function distributionOf(place, width) {
  const shown = DATA.views.distributions[place] ?? sampled(place);
  if (!shown) return null;
  return distribution(width, shown, coloursOf(shown), `${shortened(names[place], 60)} by ${groups.kind}.`);
}

const repaintChosen = chart(byId("chosen-chart"), (width) => {
  if (chosen === null) return make("p", { class: "about" }, "Choose a feature in the table: its values are shown here, and the samples above take their colour from it.");
  const picture = distributionOf(chosen, Math.min(width, 640));
  const facts = `rank ${chosen + 1} of ${names.length}, score ${readable(scores[chosen])}`;
  const list = make("ul", { class: "legend" });
  legend(list, groups.names, groupColours);
  const missing = `This page holds the values of the ${values?.count ?? 0} best features only.`;
  return make("div", {}, make("h3", { class: "name", title: names[chosen] }, names[chosen]), make("p", { class: "about" }, facts), ...(picture ? [list, picture] : [make("p", {}, missing)]));
});

legend(byId("group-legend"), groups.names.map((name, i) => `${name} (${groups.sizes[i]})`), groupColours);
DATA.views.distributions.forEach((shown, place) => {
  const inside = make("div");
  byId("distribution-charts").append(make("div", {}, make("h3", { title: shown.feature }, `${shown.rank}. ${shown.feature}`), inside));
  chart(inside, (width) => distributionOf(place, width));
});

chart(byId("redundancy-chart"), (width) =>
  heatMap(width, DATA.views.redundancy.features, DATA.views.redundancy.correlation, { signed: true, label: "Correlations of the best features." }),
);
fillColours();
