// Charts: each is a function of a width, and of what it shows, that returns an <svg>.

/** Falling scores with the cut, or circles where others than the first are kept, and the knee; long curves are thinned. */
function scoreCurve(width, scores, cut, knee, kept) {
  const height = Math.round(Math.min(410, Math.max(240, width * 0.72)));
  const defined = scores.filter((s) => s !== null);
  if (!defined.length) return make("p", { class: "about" }, "No feature has a score.");
  const [low, high] = [
    Math.min(
      0,
      defined.reduce((a, b) => Math.min(a, b), Infinity),
    ),
    defined.reduce((a, b) => Math.max(a, b), -Infinity),
  ];
  const label = `Scores of ${defined.length} features by rank, from ${readable(high)} down to ${readable(defined.at(-1) ?? null)}.`;
  const log = defined.length > 200; // the cut lies among the first few: give them room
  const tens = log ? Array.from({ length: Math.floor(Math.log10(defined.length)) + 1 }, (_, i) => 10 ** i) : undefined;
  const frame = axes({
    width,
    height,
    x: {
      low: 1,
      high: Math.max(2, defined.length),
      log,
      ticks: tens,
      whole: true,
      name: log ? "rank (logarithmic)" : "rank",
    },
    y: { low, high: high > low ? high + 0.12 * (high - low) : low + 1, name: "score" },
    label,
  });
  const every = Math.max(1, Math.floor(defined.length / 700));
  const points = defined
    .map((s, i) => [frame.sx(i + 1), frame.sy(s)])
    .filter((_, i) => i % every === 0 || i < 300 || i === defined.length - 1);
  frame.svg.append(draw("path", { class: "series", d: pathOf(points) }));
  if (defined.length <= 60)
    for (const [cx, cy] of points) frame.svg.append(draw("circle", { cx, cy, r: 3, style: { fill: "var(--accent)" } }));
  if (!cut)
    for (const place of kept.filter((at) => at < defined.length)) {
      const style = { fill: "none", stroke: "var(--cut)", strokeWidth: 1.5 };
      frame.svg.append(draw("circle", { cx: frame.sx(place + 1), cy: frame.sy(scores[place]), r: 4.5, style }));
    }
  const same = cut === knee; // one line, one word
  if (cut) upright(frame, cut + 0.5, same ? `kept ${cut}, the knee` : `kept ${cut}`);
  if (knee && !same) upright(frame, knee + 0.5, `knee ${knee}`, 1);
  return frame.svg;
}

/** Eigenvalues as stems; those before a gap that stands out are coloured. */
function spectrumChart(width, { eigenvalues, clusters }) {
  const high = Math.max(...eigenvalues) || 1;
  const label = `${eigenvalues.length} smallest eigenvalues; ${clusters === null ? "no clear number of clusters" : `the gap after ${clusters} stands out`}.`;
  const frame = axes({
    width,
    height: 360,
    x: { low: 0.5, high: eigenvalues.length + 0.5, whole: true, name: "eigenvalue" },
    y: { low: 0, high },
    label,
  });
  eigenvalues.forEach((value, i) => {
    const x = frame.sx(i + 1);
    const colour = clusters === null || i < clusters ? "var(--accent)" : "var(--soft)";
    const style = { fill: colour, stroke: colour };
    frame.svg.append(draw("line", { x1: x, x2: x, y1: frame.sy(0), y2: frame.sy(value), style }));
    frame.svg.append(
      draw("circle", { cx: x, cy: frame.sy(value), r: 4, style }, draw("title", {}, `λ${i + 1} = ${readable(value)}`)),
    );
  });
  if (clusters !== null && clusters < eigenvalues.length) upright(frame, clusters + 0.5, `gap after ${clusters}`);
  return frame.svg;
}

/** Counts in bins of one width. */
function histogram(width, { counts, low, high }, name) {
  const most = Math.max(...counts);
  const edge = (i) => low + (i / counts.length) * (high - low);
  const label = `Histogram of ${name}, from ${readable(low)} to ${readable(high)}.`;
  const frame = axes({
    width,
    height: 170,
    x: { low, high, name },
    y: { low: 0, high: most, ticks: ticks(0, most, 3), name: "samples" },
    label,
  });
  counts.forEach((count, i) => {
    const [left, right] = [frame.sx(edge(i)), frame.sx(edge(i + 1))];
    if (count)
      frame.svg.append(
        draw(
          "rect",
          {
            x: left + 0.5,
            width: Math.max(1, right - left - 1),
            y: frame.sy(count),
            height: frame.sy(0) - frame.sy(count),
            style: { fill: "var(--accent)" },
          },
          draw("title", {}, `${count} samples`),
        ),
      );
  });
  return frame.svg;
}

/** Shares of a feature by bin of eigenvalues, with the mean of its shuffled values and the level they rarely pass. */
function scaleChart(width, { borders, expected, level, whole }, shares, label) {
  const high = Math.max(...shares, ...expected, ...level);
  const frame = axes({
    width,
    height: 230,
    x: { low: 0, high: shares.length, ticks: [], name: "eigenvalue: slow variation left, fast variation right" },
    y: { low: 0, high: high > 0 ? high * 1.05 : 1, name: "share" },
    label,
  });
  shares.forEach((share, i) => {
    const [left, right] = [frame.sx(i), frame.sx(i + 1)];
    const beyond = !whole && i === shares.length - 1;
    const told = `${beyond ? `beyond ${readable(borders[i], 3)}` : `eigenvalues ${readable(borders[i], 3)} to ${readable(borders[i + 1], 3)}`}: ${readable(100 * share, 3)} %, shuffled ${readable(100 * expected[i], 3)} %, rarely above ${readable(100 * level[i], 3)} %`;
    frame.svg.append(
      draw(
        "rect",
        {
          x: left + 1,
          width: Math.max(1, right - left - 2),
          y: frame.sy(share),
          height: Math.max(0, frame.sy(0) - frame.sy(share)),
          style: { fill: "var(--accent)", fillOpacity: 0.75 },
        },
        draw("title", {}, told),
      ),
    );
  });
  const steps = (values) => values.flatMap((v, i) => [i, i + 1].map((at) => [frame.sx(at), frame.sy(v)]));
  frame.svg.append(draw("path", { class: "series shuffled", d: pathOf(steps(expected)) }));
  frame.svg.append(draw("path", { class: "series shuffled level", d: pathOf(steps(level)) }));
  const every = Math.ceil((borders.length - 1) / Math.max(2, Math.floor(width / 80)));
  borders.forEach((border, i) => {
    const last = i === borders.length - 1;
    const aside = i % every !== 0 || borders.length - 1 - i < every;
    if (!last && i && aside) return;
    const place = { x: frame.sx(i), y: frame.box.bottom + 16, "text-anchor": last ? "end" : i ? "middle" : "start" };
    frame.svg.append(draw("text", place, last && !whole ? "more" : readable(border, 2)));
  });
  return frame.svg;
}

/** Points in two coordinates, each with a colour and a title; `lines` join pairs of them. */
function scatter(width, xs, ys, colours, titles, names, label, lines = []) {
  const range = (values) => {
    const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    const room = (high - low) * 0.04 || 1;
    return { low: low - room, high: high + room };
  };
  const height = Math.round(Math.min(420, Math.max(260, width * 0.72)));
  const frame = axes({
    width,
    height,
    x: { ...range(xs), name: names[0], ticks: [] },
    y: { ...range(ys), name: names[1], ticks: [] },
    left: 24,
    label,
  });
  for (const [i, j] of lines)
    frame.svg.append(
      draw("line", {
        class: "rough",
        x1: frame.sx(xs[i]).toFixed(1),
        y1: frame.sy(ys[i]).toFixed(1),
        x2: frame.sx(xs[j]).toFixed(1),
        y2: frame.sy(ys[j]).toFixed(1),
      }),
    );
  const radius = xs.length > 1500 ? 2 : xs.length > 400 ? 2.8 : 4;
  xs.forEach((x, i) => {
    frame.svg.append(
      draw(
        "circle",
        {
          cx: frame.sx(x).toFixed(1),
          cy: frame.sy(ys[i]).toFixed(1),
          r: radius,
          style: { fill: colours[i], fillOpacity: 0.8 },
        },
        draw("title", {}, titles[i]),
      ),
    );
  });
  return frame.svg;
}

/** One named row per group: a histogram with a box under it, all on one axis. */
function distribution(width, { low, high, groups: rows }, names, colours, label) {
  const [row, foot, right] = [34, 22, 8];
  const longest = Math.max(...rows.map(({ group }) => Array.from(names[group].slice(0, 40)).length));
  const left = rows.length > 1 ? Math.min(longest * 7 + 10, width * 0.32) : 4;
  const height = rows.length * row + foot;
  const at = (v) =>
    left + (high > low ? ((v - low) / (high - low)) * (width - left - right) : (width - left - right) / 2);
  const svg = draw("svg", { width, height, role: "img", "aria-label": label });
  rows.forEach(({ group, n, quartiles, counts }, i) => {
    const [base, most, step] = [i * row + 22, Math.max(...counts), (width - left - right) / counts.length];
    const style = { fill: colours[group], stroke: colours[group] };
    const told = `median ${readable(quartiles[2])}, middle half ${readable(quartiles[1])} to ${readable(quartiles[3])}, ${n} samples`;
    const part = draw("g", {}, draw("title", {}, `${shortened(names[group], 60)}: ${told}`));
    if (rows.length > 1)
      part.append(
        draw(
          "text",
          { x: left - 7, y: base + 2, "text-anchor": "end" },
          shortened(names[group], Math.max(2, Math.floor(left / 7) - 1)),
        ),
      );
    counts.forEach((count, j) => {
      const tall = 20 * (count / most);
      if (count)
        part.append(
          draw("rect", {
            x: left + j * step,
            width: Math.max(1, step - 0.5),
            y: base - tall,
            height: tall,
            style: { fill: colours[group], fillOpacity: 0.45 },
          }),
        );
    });
    const [, q1, median, q3] = quartiles.map(at);
    part.append(draw("rect", { x: q1, width: Math.max(1.5, q3 - q1), y: base + 2, height: 5, rx: 2, style }));
    part.append(
      draw("line", {
        x1: median,
        x2: median,
        y1: base - 1,
        y2: base + 10,
        style: { stroke: "var(--ink)", strokeWidth: 2 },
      }),
    );
    svg.append(part);
  });
  const y = height - 5;
  svg.append(
    draw("text", { x: left, y }, readable(low)),
    draw("text", { x: width - right, y, "text-anchor": "end" }, readable(high)),
  );
  return svg;
}
