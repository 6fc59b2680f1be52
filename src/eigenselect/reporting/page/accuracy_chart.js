// Accuracies of several methods against the number of features, all on one fixed axis, with names at the lines' ends.

const LINE_HEIGHT = 15;
const LONGEST_NAME = 120;

/** Middles of labels of given heights, near the places that they want, none over another, all between two ends. */
function spreadLabels(labels, top, bottom) {
  const blocks = [];
  for (const label of [...labels].sort((a, b) => a.wanted - b.wanted)) {
    let block = { members: [label], height: label.height, start: label.wanted - label.height / 2 };
    while (blocks.length && blocks.at(-1).start + blocks.at(-1).height > block.start) {
      const before = blocks.pop();
      const [one, other] = [before.members.length, block.members.length];
      const start = (one * before.start + other * (block.start - before.height)) / (one + other);
      block = { members: [...before.members, ...block.members], height: before.height + block.height, start };
      block.start = Math.max(top, Math.min(block.start, bottom - block.height));
    }
    block.start = Math.max(top, Math.min(block.start, bottom - block.height));
    blocks.push(block);
  }
  // A block that was pushed in from the lower end may lie over the one before it.
  for (let i = blocks.length - 2; i >= 0; i--)
    blocks[i].start = Math.min(blocks[i].start, blocks[i + 1].start - blocks[i].height);
  for (const { members, start } of blocks) {
    let y = start;
    for (const label of members) {
      label.y = y + label.height / 2;
      y += label.height;
    }
  }
  return labels;
}

/** Lines are told apart by dashes, too; the first is solid. */
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "12 3"];
const methodDash = (index) => DASHES[index % DASHES.length];

const methodMark = (index, x, y, ...inside) =>
  mark(groupShape(index), x, y, 4, { class: "point", style: { fill: groupColour(index) } }, ...inside);

const spokenPoint = ({ name, values, spread, permuted }, i, size) =>
  draw(
    "title",
    {},
    `${shortened(name, LONGEST_NAME)}, ${size} features: ${readable(values[i], 3)} ± ${readable(spread[i], 2)}, permuted ${readable(permuted[i], 3)}`,
  );

const ACCURACY = { low: 0, high: 1, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1], name: "accuracy" };

/** One line per method; `range` holds the lowest and highest permuted accuracy at each size, `chance` that of the largest class. */
function accuracyCurves(width, sizes, series, { range, chance, label }) {
  const told = series.map(({ name }) => shortened(name, LONGEST_NAME));
  const column = widest([...told, "permuted labels"], width * 0.34);
  const ends = endLabels(sizes, series, told, column, { range, chance });
  const needed = ends.reduce((sum, { height }) => sum + height, 0);
  const right = column + 46; // leaders and marks
  const step = Math.min(5, (width - right) / (5 * series.length)); // so that bars at one size do not hide each other
  const room = (sizes.at(-1) / sizes[0]) ** ((step * series.length) / 2 / (width - right - 60) + 0.04);
  const frame = axes({
    width: width - right + 14,
    height: Math.max(360, needed + 62),
    x: { low: sizes[0] / room, high: sizes.at(-1) * room, log: true, ticks: sizes, name: "features" },
    y: ACCURACY,
    label,
  });
  frame.svg.setAttribute("width", width);
  appendBand(frame, sizes, range);
  frame.svg.append(levelLine(frame, chance));
  series.forEach((one, s) => appendCurve(frame, sizes, one, s, step * (s - (series.length - 1) / 2)));
  for (const end of ends) end.wanted = frame.sy(end.value);
  for (const end of spreadLabels(ends, frame.box.top - 6, frame.box.bottom + 6)) appendEnd(frame, end);
  return frame.svg;
}

/** What stands at the right: methods with their mark, then the two levels of chance. */
function endLabels(sizes, series, told, column, { range, chance }) {
  const block = (words, rest) => {
    const lines = wrappedLines(words, column);
    return { lines, height: lines.length * LINE_HEIGHT + 2, ...rest };
  };
  const last = (values) => values.findLastIndex((value) => value !== null);
  const known = last(range.map(([low]) => low));
  return [
    ...series
      .map(({ values }, s) => ({ at: last(values), values, s }))
      .filter(({ at }) => at >= 0)
      .map(({ at, values, s }) =>
        block(told[s], { value: values[at], size: sizes[at], colour: groupColour(s), method: s }),
      ),
    ...(known < 0
      ? []
      : [
          block("permuted labels", {
            value: (range[known][0] + range[known][1]) / 2,
            size: sizes[known],
            colour: "var(--soft)",
          }),
        ]),
    block("largest class", { value: chance, size: null, colour: "var(--cut)" }),
  ];
}

/** A band from the lowest to the highest of what permuted labels gave. */
function appendBand({ svg, sx, sy }, sizes, range) {
  const known = sizes.map((_, i) => i).filter((i) => range[i][0] !== null);
  const edge = (side) => known.map((i) => [sx(sizes[i]), sy(range[i][side])]);
  if (known.length)
    svg.append(draw("path", { class: "null-band", d: `${pathOf([...edge(1), ...edge(0).reverse()])}Z` }));
}

const levelLine = ({ sy, box }, chance) =>
  draw("line", { class: "mark", x1: box.left, x2: box.right, y1: sy(chance), y2: sy(chance) });

function appendCurve({ svg, sx, sy }, sizes, one, s, aside) {
  const { values, spread } = one;
  const known = values.map((_, i) => i).filter((i) => values[i] !== null);
  const at = (i) => [sx(sizes[i]) + aside, sy(values[i])];
  const stroke = groupColour(s);
  svg.append(
    draw("path", {
      class: "series",
      d: pathOf(known.map(at)),
      style: { stroke, strokeDasharray: methodDash(s) || "none" },
    }),
  );
  for (const i of known) {
    const [x, y] = at(i);
    const [y1, y2] = [sy(Math.max(0, values[i] - spread[i])), sy(Math.min(1, values[i] + spread[i]))];
    svg.append(draw("line", { class: "deviation", x1: x, x2: x, y1, y2, style: { stroke } }));
    svg.append(methodMark(s, x, y, spokenPoint(one, i, sizes[i])));
  }
}

/** A name at the right, with a line from what it names. */
function appendEnd({ svg, sx, box }, { lines, size, wanted, y, colour, method }) {
  const from = size === null ? box.right : Math.min(sx(size) + 8, box.right);
  const [turn, to] = [box.right + 4, box.right + 22];
  const points = [
    [from, wanted],
    [turn, wanted],
    [to, y],
  ];
  svg.append(draw("path", { class: "leader", d: pathOf(points), style: { stroke: colour } }));
  if (method !== undefined) svg.append(methodMark(method, to + 4, y));
  const top = y - ((lines.length - 1) * LINE_HEIGHT) / 2 + 4;
  lines.forEach((line, i) =>
    svg.append(
      draw(
        "text",
        { class: method === undefined ? "end-label null" : "end-label", x: to + 12, y: top + i * LINE_HEIGHT },
        line,
      ),
    ),
  );
}

/** One row per method where there is a single size: dots with bars on the same fixed axis, names at the left. */
function accuracyDots(width, size, series, { range, chance, label }) {
  const told = series.map(({ name }) => shortened(name, LONGEST_NAME));
  const column = widest(told, width * 0.42);
  const blocks = told.map((name) => wrappedLines(name, column));
  const heights = blocks.map((lines) => Math.max(30, lines.length * LINE_HEIGHT + 8));
  const height = heights.reduce((sum, one) => sum + one, 0) + 92;
  const frame = axes({
    width,
    height,
    left: column + 16,
    x: { ...ACCURACY, name: `accuracy with ${size} feature${size === 1 ? "" : "s"}` },
    y: { low: 0, high: 1, ticks: [] },
    label,
  });
  const { svg, sx, box } = frame;
  const top = box.top + 36;
  const [low, high] = range[0];
  if (low !== null) {
    svg.append(
      draw("rect", {
        class: "null-band",
        x: sx(low),
        width: Math.max(2, sx(high) - sx(low)),
        y: top,
        height: box.bottom - top,
      }),
    );
    appendAbove(frame, (sx(low) + sx(high)) / 2, top - 22, "permuted labels");
  }
  svg.append(draw("line", { class: "mark", x1: sx(chance), x2: sx(chance), y1: top, y2: box.bottom }));
  appendAbove(frame, sx(chance), top - 6, "largest class");
  let y = top;
  series.forEach((one, s) => {
    const middle = y + heights[s] / 2;
    const first = middle - ((blocks[s].length - 1) * LINE_HEIGHT) / 2 + 4;
    blocks[s].forEach((line, i) =>
      svg.append(
        draw("text", { class: "end-label", x: column + 6, y: first + i * LINE_HEIGHT, "text-anchor": "end" }, line),
      ),
    );
    const [value, spread] = [one.values[0], one.spread[0]];
    if (value !== null) {
      const [x1, x2] = [sx(Math.max(0, value - spread)), sx(Math.min(1, value + spread))];
      svg.append(
        draw("line", { class: "deviation", x1, x2, y1: middle, y2: middle, style: { stroke: groupColour(s) } }),
      );
      svg.append(methodMark(s, sx(value), middle, spokenPoint(one, 0, size)));
    }
    y += heights[s];
  });
  return svg;
}

/** Words above a place, kept inside the picture. */
function appendAbove({ svg, box }, x, y, words) {
  const half = textWidth(words) / 2;
  const middle = Math.max(box.left + half, Math.min(x, box.right - half));
  svg.append(draw("text", { class: "end-label null", x: middle, y, "text-anchor": "middle" }, words));
}
