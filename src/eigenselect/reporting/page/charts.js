// Charts: each is a function of a width, and of what it shows, that returns an <svg>.

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
