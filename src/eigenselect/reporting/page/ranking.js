// What the cards of a ranking share: the features, the samples and which feature is chosen.

const { feature: names, selected } = DATA.all_features;
const kept = new Set(selected);
const cut = selected.at(-1) === kept.size - 1 ? kept.size : 0; // none where others than the first are kept
const [scores, natives] = [numbers(DATA.all_features.score), numbers(DATA.all_features.native_score)];
const { groups, samples, embedding } = DATA.views;
const groupColours = groups.names.map((_, i) => groupColour(i));
const groupShapes = groups.names.map((_, i) => groupShape(i));
const parts = new Float32Array(Uint8Array.from(atob(DATA.values.parts), (c) => c.charCodeAt(0)).buffer);

// -- values ----------------------------------------------------------------------------------------------------------

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

// -- the chosen feature ----------------------------------------------------------------------------------------------

let chosen = null; // place of the feature that the reader chose
let shownPlace = selected[0] ?? 0; // the last one chosen, at first the first kept: the card of the feature shows it
const whenChosen = []; // what cards do when another feature is chosen

/** Choose a feature, or none if it was chosen already, and tell the cards. */
function choose(place) {
  chosen = place === chosen ? null : place;
  shownPlace = place;
  for (const told of whenChosen) told();
}
