// Charts: each is a function of a width, and of what it shows, that returns an <svg>.

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

/** Lines over common places, one colour each, with bars of their spread, dotted lines below them, and a level across. */
function lineChart(width, places, series, { level, xName, yName, label }) {
  const values = series
    .flatMap(({ values, spread, permuted }) => [
      ...values.flatMap((v, i) => (v === null ? [] : [v - spread[i], v + spread[i]])),
      ...permuted.filter((v) => v !== null),
    ])
    .concat(level ?? []); // no point beyond what a method orders
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low) * 0.06 || 0.05;
  const ends = { low: places[0] * 0.94, high: (places.length > 1 ? places.at(-1) : 2 * places[0]) * 1.06, log: true };
  const frame = axes({
    width,
    height: 320,
    x: { ...ends, ticks: places, name: xName },
    y: { low: low - room, high: Math.min(high + room, Math.max(1, high)), name: yName },
    label,
  });
  if (level !== undefined)
    frame.svg.append(
      draw(
        "line",
        { class: "mark", x1: frame.box.left, x2: frame.box.right, y1: frame.sy(level), y2: frame.sy(level) },
        draw("title", {}, readable(level)),
      ),
    );
  series.forEach(({ name, values: line, spread, permuted, colour }, s) => {
    const aside = 5 * (s - (series.length - 1) / 2); // so that bars at one place do not hide each other
    const known = line.map((v, i) => i).filter((i) => line[i] !== null);
    const points = known.map((i) => [frame.sx(places[i]) + aside, frame.sy(line[i])]);
    const chance = permuted
      .map((v, i) => i)
      .filter((i) => permuted[i] !== null)
      .map((i) => [frame.sx(places[i]) + aside, frame.sy(permuted[i])]);
    frame.svg.append(draw("path", { class: "series permuted", d: pathOf(chance), style: { stroke: colour } }));
    frame.svg.append(draw("path", { class: "series", d: pathOf(points), style: { stroke: colour } }));
    points.forEach(([cx, cy], at) => {
      const i = known[at];
      frame.svg.append(
        draw("line", {
          x1: cx,
          x2: cx,
          y1: frame.sy(line[i] - spread[i]),
          y2: frame.sy(line[i] + spread[i]),
          style: { stroke: colour },
        }),
      );
      frame.svg.append(
        draw(
          "circle",
          { cx, cy, r: 4, style: { fill: colour } },
          draw(
            "title",
            {},
            `${shortened(name, 60)}, ${places[i]} features: ${readable(line[i])} ± ${readable(spread[i], 2)}, permuted ${readable(permuted[i], 3)}`,
          ),
        ),
      );
    });
  });
  return frame.svg;
}
