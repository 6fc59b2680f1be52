// What all charts share: ticks, axes and marks.

/** Round numbers between two ends; with `whole` only those of things that are counted. */
function ticks(low, high, count = 5, whole = false) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    found.push(Number((k * step).toPrecision(12)));
  if (whole) return found.filter(Number.isInteger);
  return found.length < 2 && count < 20 ? ticks(low, high, 2 * count) : found; // one number alone is no scale
}

/**
 * Where values stand on an axis: as they are, or by symmetric logarithms, sign(v) log(1 + |v| / unit), where otherwise
 * one value would hide the others: among the leading ones it is far beyond the middle, or those above zero are few and
 * small beside those below. `value` is the inverse of `place`.
 */
function readableScale(leading, all) {
  const sizes = leading
    .map(Math.abs)
    .filter((size) => size > 0)
    .sort((a, b) => a - b);
  const [low, high] = [all.reduce((a, b) => Math.min(a, b), 0), all.reduce((a, b) => Math.max(a, b), 0)];
  const apart = sizes.length > 1 && sizes.at(-1) > 100 * sizes[Math.floor((sizes.length - 1) / 2)];
  if (!apart && !(high > 0 && -low > 2 * high))
    return { low, high, symmetricLog: false, place: (v) => v, value: (p) => p, ticks: undefined };
  const smallest = Math.max(sizes[Math.floor(sizes.length / 10)], Math.max(-low, high) / 1e6);
  const unit = 10 ** Math.floor(Math.log10(smallest));
  const place = (v) => Math.sign(v) * Math.log10(1 + Math.abs(v) / unit);
  const value = (p) => Math.sign(p) * unit * (10 ** Math.abs(p) - 1);
  return { low, high, symmetricLog: true, place, value, ticks: powerTicks(low, high, unit) };
}

/** Zero and powers of ten on both sides of it, at most about seven. */
function powerTicks(low, high, unit) {
  const largest = Math.max(-low, high);
  const last = Math.floor(Math.log10(largest) + 1e-9);
  const smallest = Math.round(Math.log10(unit));
  const first = smallest + (last - smallest > 2 ? 1 : 0); // the unit itself is next to zero
  const sides = low < 0 && high > 0 ? 2 : 1;
  const step = Math.max(1, Math.ceil(((last - first + 1) * sides) / 6));
  const powers = [];
  for (let k = last; k >= first; k -= step) powers.push(Number(`1e${k}`));
  return [0, ...powers.flatMap((power) => [power, -power])].filter((v) => v >= low && v <= high);
}

/** Axes with labels; returns the svg, the scales of both and the box inside. */
function axes({ width, height = 260, x, y, label, left = 54 }) {
  const box = { left, right: width - 14, top: 12, bottom: height - 42 };
  const scale = ({ low, high, log, place = log ? Math.log : (v) => v }, from, to) => {
    return (v) => from + ((place(v) - place(low)) / (place(high) - place(low) || 1)) * (to - from);
  };
  const [sx, sy] = [scale(x, box.left, box.right), scale(y, box.bottom, box.top)];
  const svg = draw("svg", { width, height, role: "img", "aria-label": label });
  for (const tick of y.ticks ?? ticks(y.low, y.high)) {
    svg.append(draw("line", { class: "grid-line", x1: box.left, x2: box.right, y1: sy(tick), y2: sy(tick) }));
    svg.append(draw("text", { x: box.left - 7, y: sy(tick) + 4, "text-anchor": "end" }, (y.text ?? readable)(tick, 3)));
  }
  let free = -Infinity; // where the next word has room
  for (const tick of x.ticks ?? ticks(x.low, x.high, Math.max(2, Math.floor(width / 90)), x.whole)) {
    const half = 4 * readable(tick, 3).length;
    if (sx(tick) - half < free) continue;
    free = sx(tick) + half;
    svg.append(draw("text", { x: sx(tick), y: box.bottom + 16, "text-anchor": "middle" }, readable(tick, 3)));
  }
  svg.append(draw("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
  if (x.name) svg.append(axisName(x.name, box.left, box.right, width, { y: height - 6 }));
  if (y.name) svg.append(axisName(y.name, -box.bottom, -box.top, height, { y: 12, transform: "rotate(-90)" }));
  return { svg, sx, sy, box };
}

/** The name of an axis in its middle, or as near to it as a long one fits into the picture. */
function axisName(name, from, to, length, place) {
  const half = Math.min(length, textWidth(name)) / 2;
  const [low, high] = from < 0 ? [-length + half, -half] : [half, length - half];
  const x = Math.min(Math.max((from + to) / 2, low), high);
  return draw("text", { ...place, x, "text-anchor": "middle" }, fitText(name, length));
}

const pathOf = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** A dashed upright line with a word at its foot or head. */
function upright({ svg, sx, box }, at, words, line = 0) {
  const x = sx(at);
  const anchor = x > (box.left + box.right) / 2 ? "end" : "start";
  svg.append(draw("line", { class: "mark", x1: x, x2: x, y1: box.top, y2: box.bottom }));
  svg.append(
    draw(
      "text",
      { class: "mark-text", x: x + (anchor === "end" ? -6 : 6), y: box.top + 12 + 16 * line, "text-anchor": anchor },
      words,
    ),
  );
}
