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
