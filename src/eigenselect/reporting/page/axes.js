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
  if (y.name)
    svg.append(
      draw(
        "text",
        { x: -(box.top + box.bottom) / 2, y: 12, transform: "rotate(-90)", "text-anchor": "middle" },
        y.name,
      ),
    );
  return { svg, sx, sy, box };
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
