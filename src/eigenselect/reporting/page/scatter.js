// Points in a plane, and the key of their colours.

/** Ends of an axis with some room around the values. */
function endsOf(values, room = 0.04) {
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const aside = (high - low) * room || 1;
  return { low: low - aside, high: high + aside };
}

/** Widen one of two axes so that a step of both has the same length in a box. */
function atOneScale(x, y, width, height) {
  const step = Math.max((x.high - x.low) / width, (y.high - y.low) / height);
  const widened = ({ low, high }, length) => {
    const aside = (step * length - (high - low)) / 2;
    return { low: low - aside, high: high + aside };
  };
  return [widened(x, width), widened(y, height)];
}

/**
 * Points in two coordinates, each with a colour, a title and a shape; `lines` join pairs of them.
 * `equal`: both axes at one scale; `down`: the second one runs downward; `small`: no names of axes.
 */
function scatter(width, xs, ys, colours, titles, names, label, lines = [], shapes = null, options = {}) {
  const { equal = false, down = false, small = false, ring = null } = options;
  let [x, y] = [endsOf(xs), endsOf(ys)];
  const shape = equal ? (y.high - y.low) / (x.high - x.low) : 0.72;
  const height = options.height ?? Math.round(Math.min(equal ? 620 : 480, Math.max(260, width * shape)));
  if (equal) [x, y] = atOneScale(x, y, width - (small ? 4 : 38), height - (small ? 4 : 54));
  if (down) y = { low: y.high, high: y.low };
  const frame = small
    ? bareFrame(width, height, x, y, label)
    : axes({
        width,
        height,
        x: { ...x, name: "", ticks: [] },
        y: { ...y, name: names[1], ticks: [] },
        left: 24,
        label,
      });
  if (!small) nameBelow(frame, names[0]);
  const at = (i) => [frame.sx(xs[i]), frame.sy(ys[i])];
  for (const [i, j] of lines) {
    const [[x1, y1], [x2, y2]] = [at(i), at(j)].map((place) => place.map((v) => v.toFixed(1)));
    frame.svg.append(draw("line", { class: "rough", x1, y1, x2, y2 }));
  }
  const radius = (xs.length > 1500 ? 2 : xs.length > 400 ? 2.8 : 4) * (small ? 0.75 : 1);
  const outline = ring ? { stroke: ring, strokeWidth: 0.6 } : {};
  xs.forEach((_, i) => {
    const style = { fill: colours[i], fillOpacity: 0.85, ...outline };
    frame.svg.append(
      mark(shapes?.[i] ?? "circle", ...at(i), radius, { class: "sample", style }, draw("title", {}, titles[i])),
    );
  });
  return frame.svg;
}

/** Name an axis that has no ticks close below it. */
function nameBelow({ svg, box }, name) {
  svg.append(draw("text", { x: (box.left + box.right) / 2, y: box.bottom + 17, "text-anchor": "middle" }, name));
  svg.setAttribute("height", box.bottom + 24);
}

/** Scales without axes, for a small picture. */
function bareFrame(width, height, x, y, label) {
  const box = { left: 2, right: width - 2, top: 2, bottom: height - 2 };
  const scale =
    ({ low, high }, from, to) =>
    (v) =>
      from + ((v - low) / (high - low || 1)) * (to - from);
  const svg = draw("svg", { width, height, role: "img", "aria-label": label });
  return { svg, sx: scale(x, box.left, box.right), sy: scale(y, box.bottom, box.top), box };
}

/** A strip of the colours of values, with ticks. */
function valueKey(width, low, high, name) {
  const [length, left, steps] = [Math.min(220, width - 40), 14, 44];
  const svg = draw("svg", { width: length + 40, height: 46, role: "img", "aria-label": `Colours of ${name}.` });
  for (let i = 0; i < steps; i++)
    svg.append(
      draw("rect", {
        x: (left + (i * length) / steps).toFixed(1),
        y: 18,
        width: (length / steps + 0.5).toFixed(1),
        height: 10,
        style: { fill: valueColour((i + 0.5) / steps) },
      }),
    );
  svg.append(draw("text", { x: left, y: 12 }, shortened(name, Math.max(4, Math.floor(length / 7)))));
  for (const tick of ticks(low, high, 3)) {
    const x = left + (high > low ? (tick - low) / (high - low) : 0.5) * length;
    svg.append(draw("line", { class: "axis", x1: x, x2: x, y1: 28, y2: 32 }));
    svg.append(draw("text", { x, y: 44, "text-anchor": "middle" }, readable(tick, 3)));
  }
  return svg;
}
