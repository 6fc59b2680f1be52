// Axes, marks and colours. A chart is a function of a width that returns an <svg>.

// The first groups have colours that the colour-blind can tell apart (Okabe and Ito's, see page.css), more take turns of the wheel.
const groupColour = (index) => (index < 8 ? `var(--group-${index})` : `hsl(${(index * 137.5) % 360} 55% var(--tone))`);

// From low to high, readable on both grounds.
const LOW_TO_HIGH = [[68, 84, 160], [42, 145, 150], [120, 190, 95], [240, 210, 60]];

function valueColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (LOW_TO_HIGH.length - 1);
  const left = Math.min(Math.floor(place), LOW_TO_HIGH.length - 2);
  const mixed = LOW_TO_HIGH[left].map((low, c) => Math.round(low + (place - left) * (LOW_TO_HIGH[left + 1][c] - low)));
  return `rgb(${mixed.join(" ")})`;
}

/** Round numbers between two ends; with `whole` only those of things that are counted. */
function ticks(low, high, count = 5, whole = false) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(Number((k * step).toPrecision(12)));
  return found.filter((tick) => !whole || Number.isInteger(tick));
}

/** Axes with labels; returns the svg, the scales of both and the box inside. */
function axes({ width, height = 260, x, y, label, left = 54 }) {
  const box = { left, right: width - 14, top: 12, bottom: height - 42 };
  const scale = ({ low, high, log }, from, to) => {
    const place = log ? Math.log : (v) => v;
    return (v) => from + ((place(v) - place(low)) / (place(high) - place(low) || 1)) * (to - from);
  };
  const [sx, sy] = [scale(x, box.left, box.right), scale(y, box.bottom, box.top)];
  const svg = draw("svg", { width, height, role: "img", "aria-label": label });
  for (const tick of y.ticks ?? ticks(y.low, y.high)) {
    svg.append(draw("line", { class: "grid-line", x1: box.left, x2: box.right, y1: sy(tick), y2: sy(tick) }));
    svg.append(draw("text", { x: box.left - 7, y: sy(tick) + 4, "text-anchor": "end" }, readable(tick, 3)));
  }
  let free = -Infinity; // where the next word has room
  for (const tick of x.ticks ?? ticks(x.low, x.high, Math.max(2, Math.floor(width / 90)), x.whole)) {
    const half = 4 * readable(tick, 3).length;
    if (sx(tick) - half < free) continue;
    free = sx(tick) + half;
    svg.append(draw("text", { x: sx(tick), y: box.bottom + 16, "text-anchor": "middle" }, readable(tick, 3)));
  }
  svg.append(draw("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
  svg.append(draw("text", { x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle" }, x.name));
  if (y.name) svg.append(draw("text", { x: -(box.top + box.bottom) / 2, y: 12, transform: "rotate(-90)", "text-anchor": "middle" }, y.name));
  return { svg, sx, sy, box };
}

const pathOf = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** A dashed upright line with a word at its foot or head. */
function upright({ svg, sx, box }, at, words, line = 0) {
  const x = sx(at);
  const anchor = x > (box.left + box.right) / 2 ? "end" : "start";
  svg.append(draw("line", { class: "mark", x1: x, x2: x, y1: box.top, y2: box.bottom }));
  svg.append(draw("text", { class: "mark-text", x: x + (anchor === "end" ? -6 : 6), y: box.top + 12 + 16 * line, "text-anchor": anchor }, words));
}

/** Falling scores with the cut and the knee; long curves are thinned to what a screen can show. */
function scoreCurve(width, scores, cut, knee) {
  const height = Math.round(Math.min(410, Math.max(240, width * 0.72)));
  const defined = scores.filter((s) => s !== null);
  if (!defined.length) return make("p", { class: "about" }, "No feature has a score.");
  const [low, high] = [Math.min(0, defined.reduce((a, b) => Math.min(a, b), Infinity)), defined.reduce((a, b) => Math.max(a, b), -Infinity)];
  const label = `Scores of ${defined.length} features by rank, from ${readable(high)} down to ${readable(defined.at(-1) ?? null)}.`;
  const log = defined.length > 200; // the cut lies among the first few: give them room
  const tens = log ? Array.from({ length: Math.floor(Math.log10(defined.length)) + 1 }, (_, i) => 10 ** i) : undefined;
  const frame = axes({ width, height, x: { low: 1, high: Math.max(2, defined.length), log, ticks: tens, whole: true, name: log ? "rank (logarithmic)" : "rank" }, y: { low, high: high > low ? high + 0.12 * (high - low) : low + 1, name: "score" }, label });
  const every = Math.max(1, Math.floor(defined.length / 700));
  const points = defined.map((s, i) => [frame.sx(i + 1), frame.sy(s)]).filter((_, i) => i % every === 0 || i < 300 || i === defined.length - 1);
  frame.svg.append(draw("path", { class: "series", d: pathOf(points) }));
  if (defined.length <= 60) for (const [cx, cy] of points) frame.svg.append(draw("circle", { cx, cy, r: 3, style: { fill: "var(--accent)" } }));
  const same = cut === knee; // one line, one word
  if (cut) upright(frame, cut + 0.5, same ? `kept ${cut}, the knee` : `kept ${cut}`);
  if (knee && !same) upright(frame, knee + 0.5, `knee ${knee}`, 1);
  return frame.svg;
}

/** Eigenvalues as stems; those before a gap that stands out are coloured. */
function spectrumChart(width, { eigenvalues, clusters }) {
  const high = Math.max(...eigenvalues) || 1;
  const label = `${eigenvalues.length} smallest eigenvalues; ${clusters === null ? "no clear number of clusters" : `the gap after ${clusters} stands out`}.`;
  const frame = axes({ width, height: 360, x: { low: 0.5, high: eigenvalues.length + 0.5, whole: true, name: "eigenvalue" }, y: { low: 0, high }, label });
  eigenvalues.forEach((value, i) => {
    const x = frame.sx(i + 1);
    const colour = clusters === null || i < clusters ? "var(--accent)" : "var(--soft)";
    const style = { fill: colour, stroke: colour };
    frame.svg.append(draw("line", { x1: x, x2: x, y1: frame.sy(0), y2: frame.sy(value), style }));
    frame.svg.append(draw("circle", { cx: x, cy: frame.sy(value), r: 4, style }, draw("title", {}, `λ${i + 1} = ${readable(value)}`)));
  });
  if (clusters !== null && clusters < eigenvalues.length) upright(frame, clusters + 0.5, `gap after ${clusters}`);
  return frame.svg;
}

/** Counts in bins of one width. */
function histogram(width, { counts, low, high }, name) {
  const most = Math.max(...counts);
  const edge = (i) => low + (i / counts.length) * (high - low);
  const label = `Histogram of ${name}, from ${readable(low)} to ${readable(high)}.`;
  const frame = axes({ width, height: 170, x: { low, high, name }, y: { low: 0, high: most, ticks: ticks(0, most, 3), name: "samples" }, label });
  counts.forEach((count, i) => {
    const [left, right] = [frame.sx(edge(i)), frame.sx(edge(i + 1))];
    if (count) frame.svg.append(draw("rect", { x: left + 0.5, width: Math.max(1, right - left - 1), y: frame.sy(count), height: frame.sy(0) - frame.sy(count), style: { fill: "var(--accent)" } }, draw("title", {}, `${count} samples`)));
  });
  return frame.svg;
}

/** Points in two coordinates, each with a colour and a title. */
function scatter(width, xs, ys, colours, titles, names, label) {
  const range = (values) => {
    const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    const room = (high - low) * 0.04 || 1;
    return { low: low - room, high: high + room };
  };
  const height = Math.round(Math.min(420, Math.max(260, width * 0.72)));
  const frame = axes({ width, height, x: { ...range(xs), name: names[0], ticks: [] }, y: { ...range(ys), name: names[1], ticks: [] }, left: 24, label });
  const radius = xs.length > 1500 ? 2 : xs.length > 400 ? 2.8 : 4;
  xs.forEach((x, i) => {
    frame.svg.append(draw("circle", { cx: frame.sx(x).toFixed(1), cy: frame.sy(ys[i]).toFixed(1), r: radius, style: { fill: colours[i], fillOpacity: 0.8 } }, draw("title", {}, titles[i])));
  });
  return frame.svg;
}

/** One named row per group: a histogram with a box under it, all on one axis. */
function distribution(width, { low, high, groups: rows }, names, colours, label) {
  const [row, foot, right] = [34, 22, 8];
  const longest = Math.max(...rows.map(({ group }) => Array.from(names[group].slice(0, 40)).length));
  const left = rows.length > 1 ? Math.min(longest * 7 + 10, width * 0.32) : 4;
  const height = rows.length * row + foot;
  const at = (v) => left + (high > low ? ((v - low) / (high - low)) * (width - left - right) : (width - left - right) / 2);
  const svg = draw("svg", { width, height, role: "img", "aria-label": label });
  rows.forEach(({ group, n, quartiles, counts }, i) => {
    const [base, most, step] = [i * row + 22, Math.max(...counts), (width - left - right) / counts.length];
    const style = { fill: colours[group], stroke: colours[group] };
    const told = `median ${readable(quartiles[2])}, middle half ${readable(quartiles[1])} to ${readable(quartiles[3])}, ${n} samples`;
    const part = draw("g", {}, draw("title", {}, `${shortened(names[group], 60)}: ${told}`));
    if (rows.length > 1) part.append(draw("text", { x: left - 7, y: base + 2, "text-anchor": "end" }, shortened(names[group], Math.max(2, Math.floor(left / 7) - 1))));
    counts.forEach((count, j) => {
      const tall = 20 * (count / most);
      if (count) part.append(draw("rect", { x: left + j * step, width: Math.max(1, step - 0.5), y: base - tall, height: tall, style: { fill: colours[group], fillOpacity: 0.45 } }));
    });
    const [, q1, median, q3] = quartiles.map(at);
    part.append(draw("rect", { x: q1, width: Math.max(1.5, q3 - q1), y: base + 2, height: 5, rx: 2, style }));
    part.append(draw("line", { x1: median, x2: median, y1: base - 1, y2: base + 10, style: { stroke: "var(--ink)", strokeWidth: 2 } }));
    svg.append(part);
  });
  const y = height - 5;
  svg.append(draw("text", { x: left, y }, readable(low)), draw("text", { x: width - right, y, "text-anchor": "end" }, readable(high)));
  return svg;
}

/** A square table of numbers as colours, from `low` (plain) to `high` (strong); numbers are written where they fit. */
function heatMap(width, names, matrix, { signed = false, format = (v) => v.toFixed(2), label }) {
  const longest = Math.min(22, Math.max(...names.map((n) => Array.from(n.slice(0, 60)).length)));
  const left = Math.min(longest * 7 + 12, width * 0.42);
  const cell = Math.min(56, (width - left - 4) / names.length);
  const fits = Math.max(4, Math.floor(left / 7) - 1);
  const upper = names.length <= 8 ? 0 : cell >= 11 ? left : 8; // few columns are named below each other, many upright
  const top = upper || 26;
  const svg = draw("svg", { width, height: top + cell * names.length + 4, role: "img", "aria-label": label });
  names.forEach((name, i) => {
    const y = top + cell * (i + 0.5) + 4;
    if (cell >= 9) svg.append(draw("text", { x: left - 7, y, "text-anchor": "end" }, shortened(name, fits), draw("title", {}, name)));
    const x = left + cell * (i + 0.5);
    if (upper > 8) svg.append(draw("text", { x: 0, y: 0, transform: `translate(${x + 4} ${top - 6}) rotate(-90)` }, shortened(name, fits), draw("title", {}, name)));
    else if (!upper) svg.append(draw("text", { x, y: top - 8, "text-anchor": "middle" }, shortened(name, Math.max(3, Math.floor(cell / 7.5))), draw("title", {}, name)));
    names.forEach((other, j) => svg.append(...heatCell(matrix[i][j], left + cell * j, top + cell * i, cell, `${shortened(name, 80)}, ${shortened(other, 80)}`, signed, format)));
  });
  return svg;
}

function heatCell(value, x, y, size, who, signed, format) {
  const strength = value === null ? 0 : Math.min(1, Math.abs(value));
  const hue = value !== null && value < 0 && signed ? "var(--cut)" : "var(--accent)";
  const ground = { fill: value === null ? "none" : `color-mix(in srgb, ${hue} ${Math.round(100 * strength)}%, var(--card))`, stroke: "var(--card)" };
  const parts = [draw("rect", { x, y, width: size, height: size, style: ground }, draw("title", {}, `${who}: ${value === null ? "–" : format(value)}`))];
  const ink = strength > 0.55 ? "var(--card)" : "var(--ink)";
  if (size >= 34 && value !== null) parts.push(draw("text", { class: "on-cell", x: x + size / 2, y: y + size / 2 + 4, "text-anchor": "middle", style: { fill: ink } }, format(value)));
  return parts;
}

/** Lines over common places, one colour each, with bars of their spread, dotted lines below them, and a level across. */
function lineChart(width, places, series, { level, xName, yName, label }) {
  const values = series.flatMap(({ values, spread, permuted }) => [...values.flatMap((v, i) => (v === null ? [] : [v - spread[i], v + spread[i]])), ...permuted.filter((v) => v !== null)]).concat(level ?? []); // no point beyond what a method orders
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low) * 0.06 || 0.05;
  const ends = { low: places[0] * 0.94, high: (places.length > 1 ? places.at(-1) : 2 * places[0]) * 1.06, log: true };
  const frame = axes({ width, height: 320, x: { ...ends, ticks: places, name: xName }, y: { low: low - room, high: Math.min(high + room, Math.max(1, high)), name: yName }, label });
  if (level !== undefined) frame.svg.append(draw("line", { class: "mark", x1: frame.box.left, x2: frame.box.right, y1: frame.sy(level), y2: frame.sy(level) }, draw("title", {}, readable(level))));
  series.forEach(({ name, values: line, spread, permuted, colour }, s) => {
    const aside = 5 * (s - (series.length - 1) / 2); // so that bars at one place do not hide each other
    const known = line.map((v, i) => i).filter((i) => line[i] !== null);
    const points = known.map((i) => [frame.sx(places[i]) + aside, frame.sy(line[i])]);
    const chance = permuted.map((v, i) => i).filter((i) => permuted[i] !== null).map((i) => [frame.sx(places[i]) + aside, frame.sy(permuted[i])]);
    frame.svg.append(draw("path", { class: "series permuted", d: pathOf(chance), style: { stroke: colour } }));
    frame.svg.append(draw("path", { class: "series", d: pathOf(points), style: { stroke: colour } }));
    points.forEach(([cx, cy], at) => {
      const i = known[at];
      frame.svg.append(draw("line", { x1: cx, x2: cx, y1: frame.sy(line[i] - spread[i]), y2: frame.sy(line[i] + spread[i]), style: { stroke: colour } }));
      frame.svg.append(draw("circle", { cx, cy, r: 4, style: { fill: colour } }, draw("title", {}, `${shortened(name, 60)}, ${places[i]} features: ${readable(line[i])} ± ${readable(spread[i], 2)}, permuted ${readable(permuted[i], 3)}`)));
    });
  });
  return frame.svg;
}

/** A list of colours and what they stand for. */
function legend(list, names, colours) {
  list.replaceChildren(...names.map((name, i) => make("li", {}, make("span", { class: "swatch", style: { background: colours[i] } }), make("span", { title: name }, name))));
}
