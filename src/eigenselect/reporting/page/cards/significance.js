// P-values and q-values: as text, as columns of the table, and as three charts.

const [DISCOVERED, OTHER] = ["var(--cut)", "var(--soft)"];
/** How many times higher than the band the axis of quantiles goes. */
const CEILING = 3;

/** Three digits, small ones as powers of ten, never zero. */
function probability(value) {
  if (value === null) return "–";
  if (value < 1e-300) return "<1e-300";
  const rounded = Number(value.toPrecision(3));
  return rounded < 1e-3 ? rounded.toExponential(2) : rounded.toPrecision(3);
}

/** The columns p and q of the table of features, as far as there are any. */
function evidenceColumns({ pvalue, qvalue }) {
  const column = (name, key, values) => ({
    name,
    key,
    value: (place) => values[place],
    text: probability,
    right: true,
  });
  return [pvalue && column("p", "pvalue", pvalue), qvalue && column("q", "qvalue", qvalue)].filter(Boolean);
}

/** Counts of p-values, with the expected count of uniform ones, and their band behind the left half. */
function pvalueChart(width, { counts, expected, low, high }) {
  const most = Math.max(...counts, high);
  const label = `Histogram of p-values: ${counts[0]} of ${counts.reduce((a, b) => a + b)} below ${1 / counts.length}, where chance gives ${low} to ${high}.`;
  const frame = axes({
    width,
    height: 260,
    x: { low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1], name: "p" },
    y: { low: 0, high: most, ticks: ticks(0, most, 4, true), name: "features" },
    label,
  });
  const { svg, sx, sy, box } = frame;
  svg.append(
    draw(
      "rect",
      { class: "band", x: box.left, width: sx(0.5) - box.left, y: sy(high), height: sy(low) - sy(high) },
      draw("title", {}, `chance: ${low} to ${high}`),
    ),
  );
  counts.forEach((count, i) => {
    const [left, right] = [sx(i / counts.length), sx((i + 1) / counts.length)];
    const style = { fill: "var(--accent)", fillOpacity: 0.75 };
    const place = { x: left + 0.5, width: Math.max(1, right - left - 1), y: sy(count), height: sy(0) - sy(count) };
    const told = `${count} features with p from ${readable(i / counts.length)} to ${readable((i + 1) / counts.length)}`;
    if (count) svg.append(draw("rect", { ...place, style }, draw("title", {}, told)));
  });
  svg.append(draw("line", { class: "mark", x1: box.left, x2: box.right, y1: sy(expected), y2: sy(expected) }));
  return svg;
}

/** Sorted p-values against uniform ones, both as powers of ten, with the band of each. */
function quantileChart(width, { expected, observed, low, high, place }, { feature, pvalue, qvalue }, alpha) {
  const top = (values) => values.reduce((a, b) => Math.max(a, b), 1e-9);
  const ceiling = Math.min(top(observed), CEILING * top(high)); // or tiny p-values press the band flat
  const label = `${place.length} p-values against uniform ones; the smallest is ${probability(pvalue[place[0]])}.`;
  const frame = axes({
    width,
    height: 260,
    x: { low: 0, high: 1.04 * top(expected), name: "uniform, -log₁₀ p" },
    y: { low: 0, high: 1.06 * Math.max(ceiling, top(high)), name: "-log₁₀ p" },
    label,
  });
  const { svg, sx, sy } = frame;
  const [above, below] = [high, low].map((ends) => ends.map((end, i) => [sx(expected[i]), sy(end)]));
  svg.append(draw("path", { class: "band", d: `${pathOf([...above, ...below.reverse()])}Z` }));
  const diagonal = [0, top(expected)].map((end) => [sx(end), sy(end)]);
  svg.append(draw("path", { class: "mark", d: pathOf(diagonal) }));
  const titles = place.map((at) => evidenceOf(at, feature, pvalue, qvalue));
  const found = place.map((at) => qvalue[at] !== null && qvalue[at] <= alpha);
  const inside = observed.map((value) => Math.min(value, ceiling));
  dots(frame, expected, inside, found, titles);
  return svg;
}

/** Scores against the means of features, discoveries in another colour and on top. */
function meanChart(width, { mean, place, log }, { feature, score, pvalue, qvalue }, alpha) {
  const shown = place
    .map((at, i) => ({ at, x: mean[i], y: Number(score[at]), known: score[at] !== null }))
    .filter(({ x, y, known }) => known && Number.isFinite(y) && (!log || x > 0));
  if (!shown.length) return make("p", { class: "about" }, "No feature has a score.");
  const discovered = ({ at }) => qvalue[at] !== null && qvalue[at] <= alpha;
  const drawn = [...shown.filter((point) => !discovered(point)), ...shown.filter(discovered)];
  const [xs, ys] = [drawn.map(({ x }) => x), drawn.map(({ y }) => y)];
  const count = drawn.filter(discovered).length;
  const frame = axes({
    width,
    height: 260,
    x: { ...(log ? tensOf(xs) : roomFor(xs)), name: log ? "mean (logarithmic)" : "mean" },
    y: { ...roomFor(ys), name: "score" },
    label: `Scores of ${drawn.length} features against their means; ${count} ${count === 1 ? "has" : "have"} q of at most ${alpha}.`,
  });
  const titles = drawn.map(({ at, x }) => `${evidenceOf(at, feature, pvalue, qvalue)}, mean ${readable(x)}`);
  dots(frame, xs, ys, drawn.map(discovered), titles);
  return frame.svg;
}

function dots({ svg, sx, sy }, xs, ys, found, titles) {
  const radius = xs.length > 400 ? 2.2 : 3;
  xs.forEach((x, i) => {
    const style = { fill: found[i] ? DISCOVERED : OTHER, fillOpacity: found[i] ? 0.85 : 0.55 };
    const at = { cx: sx(x).toFixed(1), cy: sy(ys[i]).toFixed(1), r: radius, style };
    svg.append(draw("circle", { class: found[i] ? "found" : null, ...at }, draw("title", {}, titles[i])));
  });
}

function evidenceOf(place, names, pvalue, qvalue) {
  const p = pvalue ? `p ${probability(pvalue[place])}, ` : "";
  return `${shortened(names[place], 60)}: ${p}q ${probability(qvalue[place])}`;
}

/** Ends of an axis with some room around the values. */
function roomFor(values) {
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const room = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
  return { low: low - room, high: high + room };
}

/** Ends and ticks of a logarithmic axis. */
function tensOf(values) {
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const every = Math.max(1, Math.ceil((last - first + 1) / 6));
  const marks = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
  return { low: low / 1.3, high: high * 1.3, log: true, ticks: marks.filter((_, i) => i % every === 0) };
}

/** Put the charts and their legends into the page. */
function drawSignificance({ histogram, quantiles, means }, all, alpha) {
  if (histogram) chart(byId("pvalue-chart"), (width) => pvalueChart(width, histogram));
  if (quantiles) chart(byId("quantile-chart"), (width) => quantileChart(width, quantiles, all, alpha));
  chart(byId("mean-chart"), (width) => meanChart(width, means, all, alpha));
  legend(byId("significance-legend"), [`q ≤ ${readable(alpha)}`, "others"], [DISCOVERED, OTHER]);
}

if (DATA.views?.significance) drawSignificance(DATA.views.significance, DATA.all_features, DATA.significance.alpha);
