// Values of one feature by group: a histogram with a box under it for each, all on one axis with ticks.

/** Distribution of a feature by group on the samples shown, where the summary has none on all of them. */
function sampledDistribution(place) {
  const values = valuesOf(place);
  if (!values) return null;
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
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

/** Where names of groups stand: left of the rows if the longest has room there, else each above its row. */
function roomForNames(width, told) {
  if (told.length < 2) return { left: 8, above: 0 };
  const longest = Math.max(...told.map((name) => Array.from(name.slice(0, 60)).length));
  const needed = 7.2 * longest + 14;
  return needed <= 0.32 * width ? { left: needed, above: 0 } : { left: 8, above: 17 };
}

/** One named row per group: a histogram with a box under it, all on one axis. */
function distribution(width, { low, high, groups: rows }, names, colours, label) {
  const { left, above } = roomForNames(
    width,
    rows.map(({ group }) => names[group]),
  );
  const [tall, right, bottom] = [36 + above, 14, rows.length * (36 + above) + 2];
  const at = (v) =>
    left + (high > low ? ((v - low) / (high - low)) * (width - left - right) : (width - left - right) / 2);
  const svg = draw("svg", { width, height: bottom + 40, role: "img", "aria-label": label });
  valueAxis(svg, { low, high, at, left, right: width - right, bottom, name: "value" });
  rows.forEach((row, i) => {
    const name = names[row.group];
    const part = boxRow(row, {
      base: i * tall + above + 22,
      at,
      left,
      right: width - right,
      colour: colours[row.group],
    });
    const told = `median ${readable(row.quartiles[2])}, middle half ${readable(row.quartiles[1])} to ${readable(row.quartiles[3])}, ${row.n} samples`;
    part.prepend(draw("title", {}, `${shortened(name, 60)}: ${told}`));
    if (rows.length > 1) {
      const place = above
        ? { x: left, y: i * tall + 13 }
        : { x: left - 9, y: i * tall + 22, "text-anchor": "end", class: "beside-row" };
      part.append(draw("text", place, shortened(name, Math.floor((above ? width - 20 : left) / 7))));
    }
    svg.append(part);
  });
  return svg;
}

/** Histogram and box of one group: its middle half, and a line at the median. */
function boxRow({ quartiles, counts }, { base, at, left, right, colour }) {
  const [most, step] = [Math.max(...counts), (right - left) / counts.length];
  const part = draw("g", {});
  counts.forEach((count, j) => {
    const tall = 20 * (count / most);
    const style = { fill: colour, fillOpacity: 0.45 };
    const place = { x: left + j * step, width: Math.max(1, step - 0.5), y: base - tall, height: tall };
    if (count) part.append(draw("rect", { ...place, style }));
  });
  const [, q1, median, q3] = quartiles.map(at);
  const box = { x: q1, width: Math.max(1.5, q3 - q1), y: base + 2, height: 5, rx: 2 };
  const style = { stroke: "var(--ink)", strokeWidth: 2 };
  part.append(
    draw("rect", { ...box, style: { fill: colour, stroke: colour } }),
    draw("line", { x1: median, x2: median, y1: base - 1, y2: base + 10, style }),
  );
  return part;
}

/** The axis under the rows, with faint lines up from its ticks. */
function valueAxis(svg, { low, high, at, left, right, bottom, name }) {
  svg.append(draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  let free = -Infinity; // where the next number has room
  for (const tick of ticks(low, high, Math.max(2, Math.floor((right - left) / 80)))) {
    const [x, half] = [at(tick), 3.6 * readable(tick, 3).length];
    const inside = Math.min(Math.max(x, half + 1), right + 13 - half);
    svg.append(draw("line", { class: "grid-line", x1: x, x2: x, y1: 0, y2: bottom + 4 }));
    if (inside - half < free) continue;
    free = inside + half + 4;
    svg.append(draw("text", { class: "tick", x: inside, y: bottom + 17, "text-anchor": "middle" }, readable(tick, 3)));
  }
  svg.append(draw("text", { x: (left + right) / 2, y: bottom + 34, "text-anchor": "middle" }, name));
}
