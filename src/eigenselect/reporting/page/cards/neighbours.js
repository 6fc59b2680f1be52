// What stands near the chosen feature: its near-copies, and the sample that lies farthest out.

const NEAR_COPY = 0.9; // correlation, as in the summary
const NAMED_COPIES = 8;

/** Centred values of length 1 of all features that the page holds, made when first asked for; constant ones are 0. */
function unitValues() {
  const [units, length] = [new Float32Array(parts.length), samples.number.length];
  for (let start = 0; start < units.length; start += length) {
    const values = parts.subarray(start, start + length);
    const mean = values.reduce((a, b) => a + b, 0) / length;
    const centred = values.map((value) => value - mean);
    if (!centred.some((value) => Math.abs(value) > 1e-5)) continue; // single precision has no more digits
    const size = Math.sqrt(centred.reduce((sum, value) => sum + value * value, 0));
    units.set(
      centred.map((value) => value / size),
      start,
    );
  }
  return units;
}

let heldUnits = null;

/** Features whose values the page holds and that are near-copies of one of them, as [place, correlation]. */
function heldCopies(place) {
  heldUnits ??= unitValues();
  const length = samples.number.length;
  const mine = heldUnits.subarray(place * length, (place + 1) * length);
  const found = [];
  for (let other = 0; place < DATA.values.count && other < DATA.values.count; other++) {
    let correlation = 0;
    for (let i = 0; i < length; i++) correlation += mine[i] * heldUnits[other * length + i];
    if (other !== place && Math.abs(correlation) >= NEAR_COPY) found.push([other, correlation]);
  }
  return found;
}

/** Near-copies of a feature, nearest first: those that the page can correlate, those of the summary, its group. */
function copiesOf(place) {
  const found = new Map(heldCopies(place));
  const row = DATA.views.near_copies.find(({ feature }) => feature === names[place]);
  row?.copies.forEach((name, i) => {
    const other = names.indexOf(name);
    if (!found.has(other)) found.set(other, row.correlations[i]);
  });
  const group = copyGroups?.[place];
  if (group)
    copyGroups.forEach((number, other) => {
      if (number === group && other !== place && !found.has(other)) found.set(other, null);
    });
  const size = (correlation) => (correlation === null ? 0 : Math.abs(correlation));
  const copies = [...found].sort(([a, one], [b, other]) => size(other) - size(one) || a - b);
  return { copies, count: Math.max(copies.length, row?.count ?? 0) };
}

/** The near-copies as buttons that choose them. */
function copiesPart(place) {
  const { copies, count } = copiesOf(place);
  const heading = make("h4", {}, "Near-copies");
  if (!copies.length) {
    const among = `the ${DATA.values.count} best`;
    const words = DATA.values.count < names.length ? `No near-copy among ${among}` : "No near-copy";
    return [heading, make("p", { class: "about" }, `${words} (correlation of at least ${NEAR_COPY} in magnitude).`)];
  }
  const item = ([other, correlation]) =>
    make(
      "li",
      {},
      make(
        "button",
        {
          type: "button",
          title: names[other],
          onclick: () => choose(other),
          class: names[other].length > 60 && "long",
        },
        make("span", { class: "clamped" }, names[other]),
        " ",
        make("span", { class: "number" }, correlation === null ? "same group" : correlation.toFixed(2)),
      ),
    );
  const more = count > NAMED_COPIES ? [make("li", { class: "about" }, `and ${count - NAMED_COPIES} more`)] : [];
  const list = make("ul", { class: "copies" }, ...copies.slice(0, NAMED_COPIES).map(item), ...more);
  return [heading, list];
}

// -- the most extreme sample -----------------------------------------------------------------------------------------

/** The chance that a bell-shaped value lies within so many deviations of its mean. */
function withinDeviations(z) {
  const t = 1 / (1 + 0.3275911 * (z / Math.SQRT2));
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return 1 - series * Math.exp((-z * z) / 2);
}

/** How far the farthest of so many bell-shaped values lies out, in deviations: the middle of what chance gives. */
function farthestByChance(count) {
  let [low, high] = [0, 8];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (withinDeviations(middle) ** count < 0.5) low = middle;
    else high = middle;
  }
  return high;
}

/** The sample farthest from the median, in units of the spread that a bell curve would have by its middle half. */
function extremeSample(place) {
  const values = valuesOf(place);
  if (!values || values.length < 3) return null;
  const median = quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
  const distances = values.map((value) => Math.abs(value - median));
  const i = distances.reduce((best, distance, at) => (distance > distances[best] ? at : best), 0);
  const spread =
    1.4826 *
    quantile(
      [...distances].sort((a, b) => a - b),
      0.5,
    );
  return distances[i] > 0 ? { i, value: values[i], median, away: spread > 0 ? distances[i] / spread : null } : null;
}

function extremePart(place) {
  const found = extremeSample(place);
  if (!found) return [];
  const chance = readable(farthestByChance(samples.number.length), 2);
  const far =
    found.away === null
      ? "at least half of all samples have the median itself"
      : `${readable(found.away, 2)} robust deviations away; of ${samples.number.length} bell-shaped values the farthest is about ${chance} away`;
  const group = groups.names.length > 1 ? ` (${groupName(samples.group[found.i])})` : "";
  const words = `${sampleName(found.i)}${group}: ${readable(found.value)}, median ${readable(found.median)}; ${far}.`;
  return [make("h4", {}, "Farthest from the median"), make("p", { class: "about" }, words)];
}
