// How many features: the falling scores, the band that permuted data give, and the cut.

/** Long curves are thinned, the first ranks stay. */
function curvePoints(values, frame) {
  const every = Math.max(1, Math.floor(values.length / 700));
  return values
    .map((score, i) => [frame.sx(i + 1), frame.sy(score)])
    .filter((_, i) => i % every === 0 || i < 300 || i === values.length - 1);
}

/** A power of ten as text. */
const powerText = (tick) =>
  (Math.abs(tick) >= 0.01 && Math.abs(tick) < 1e5 ? String(tick) : tick ? tick.toExponential(0) : "0").replace(
    "e+",
    "e",
  );

/** Ranks on x, scores on y with room above for words; what is beyond the scale of the scores, of a band, fits, too. */
function scoreAxes(width, values, band) {
  const height = Math.round(Math.min(410, Math.max(260, width * 0.62)));
  const log = values.length > 200; // the cut lies among the first few: give them room
  const tens = log ? Array.from({ length: Math.floor(Math.log10(values.length)) + 1 }, (_, i) => 10 ** i) : undefined;
  const { place, value } = scoreScale;
  const low = Math.min(scoreScale.low, ...(band?.low ?? []));
  const high = Math.max(scoreScale.high, ...(band?.high ?? []));
  const room = 0.14 * (place(high) - place(low));
  const told = band
    ? `; ${DATA.evaluation.band.n_permutations} fits to permuted data reach ${readable(band.high[0])}`
    : "";
  return axes({
    width,
    height,
    x: {
      low: 1,
      high: Math.max(2, values.length),
      log,
      ticks: tens,
      whole: true,
      name: log ? "rank (logarithmic)" : "rank",
    },
    y: {
      low,
      high: high > low ? value(place(high) + room) : low + 1,
      place,
      ticks: scoreScale.ticks,
      text: scoreScale.symmetricLog ? powerText : readable,
      name: scoreScale.symmetricLog ? "score (symmetric logarithm)" : "score",
    },
    left: scoreScale.symmetricLog ? 62 : 54,
    label: `Scores of ${values.length} features by rank, from ${readable(values[0])} down to ${readable(values.at(-1))}${told}.`,
  });
}

/** What permuted data score at each rank: a band from the lowest to the highest fit, and the one in the middle. */
function drawBand({ svg, sx, sy }, { rank, low, middle, high }, count) {
  const shown = rank.map((_, i) => i).filter((i) => rank[i] <= count);
  const line = (values) => shown.map((i) => [sx(rank[i]), sy(values[i])]);
  svg.append(draw("path", { class: "null-band", d: `${pathOf([...line(high), ...line(low).reverse()])}Z` }));
  svg.append(draw("path", { class: "null-middle", d: pathOf(line(middle)) }));
}

/** A key inside the chart, so that it goes where the picture goes: at the right above, or left below a curve that stays high. */
function scoreKey({ svg, sy, box }, values, band) {
  const late = values[Math.min(values.length - 1, Math.floor(values.length * (values.length > 200 ? 0.05 : 0.6)))];
  const above = sy(late) > (box.top + box.bottom) / 2;
  const words = ["features", `permuted (${band.n_permutations} fits)`];
  const [x, y] = above ? [Math.max(box.left + 60, box.right - 136), box.top + 42] : [box.left + 14, box.bottom - 34];
  svg.append(draw("path", { class: "series", d: pathOf([[x, y - 4], [x + 18, y - 4]]) })); // prettier-ignore
  svg.append(draw("rect", { class: "null-band", x, y: y + 9, width: 18, height: 11 }));
  words.forEach((text, i) => svg.append(draw("text", { x: x + 25, y: y + 18 * i }, text)));
}

/** Falling scores with the user's cut, or circles where others than the first are kept; the knee is a tick on the axis. */
function scoreCurve(width, band, knee) {
  if (!orderedScores.length) return make("p", { class: "about" }, "No feature has a score.");
  const frame = scoreAxes(width, orderedScores, band);
  const { svg, sx, sy, box } = frame;
  if (band) drawBand(frame, band, orderedScores.length);
  const points = curvePoints(orderedScores, frame);
  svg.append(draw("path", { class: "series", d: pathOf(points) }));
  if (orderedScores.length <= 60)
    for (const [cx, cy] of points) svg.append(draw("circle", { cx, cy, r: 3, style: { fill: "var(--accent)" } }));
  if (!cut)
    for (const place of selected.filter((at) => at < orderedScores.length)) {
      const style = { fill: "none", stroke: "var(--cut)", strokeWidth: 1.5 };
      svg.append(draw("circle", { cx: sx(place + 1), cy: sy(scores[place]), r: 4.5, style }));
    }
  if (cut && cut < orderedScores.length) upright(frame, cut + 0.5, `kept ${cut}`);
  if (knee && knee < orderedScores.length) {
    const x = sx(knee + 0.5);
    const tick = { class: "turn", x1: x, x2: x, y1: box.bottom - 9, y2: box.bottom };
    svg.append(draw("line", tick, draw("title", {}, `knee: the curve turns after rank ${knee}`)));
  }
  if (band) scoreKey(frame, orderedScores, band);
  return svg;
}

const scoreKnee = DATA.significance ? 0 : DATA.scores.knee; // noise has one, too, and q-values say more
chart(byId("score-chart"), (width) => scoreCurve(width, DATA.evaluation?.band ?? null, scoreKnee));
