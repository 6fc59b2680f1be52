// Tables of numbers as colours: correlations, shared features, agreement, samples × features.

/** Values from -1 to 1 become one of so many colours on each side of zero. */
const LEVELS = 25;

/** Paint a table of cells, one path for each colour, each cell one unit wide and high; `levelAt` gives null for none. */
function cellPaths(rows, columns, levelAt, signed) {
  const paths = new Map();
  for (let i = 0; i < rows; i++)
    for (let j = 0, length; j < columns; j += length) {
      const level = levelAt(i, j);
      length = 1;
      while (j + length < columns && levelAt(i, j + length) === level) length++;
      paths.set(level, `${paths.get(level) ?? ""}M${j} ${i}h${length}v1h-${length}z`);
    }
  return [...paths].map(([level, d]) =>
    draw("path", {
      d,
      "data-level": String(level),
      "shape-rendering": "crispEdges",
      style: { fill: themed(heatColour(level === null ? null : level / LEVELS, signed)) },
    }),
  );
}

/** Tell which cell the pointer is on, in a line of words at a place of the chart. */
function readCells(svg, { left, top, wide, high, rows, columns, x, y, room }, words) {
  const line = draw("text", { class: "readout", x, y });
  const sheet = draw("rect", {
    x: left,
    y: top,
    width: wide * columns,
    height: high * rows,
    style: { fill: "transparent" },
  });
  const place = (at, from, size, count) => Math.min(count - 1, Math.max(0, Math.floor((at - from) / size)));
  sheet.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const row = place(event.clientY - box.top, top, high, rows);
    const column = place(event.clientX - box.left, left, wide, columns);
    line.textContent = fitText(words(row, column), room);
  });
  sheet.addEventListener("pointerleave", () => (line.textContent = ""));
  svg.append(line, sheet);
}

/**
 * A square table of numbers as colours: of values from -1 to 1 (`signed`) or 0 to 1. Numbers are written where they fit.
 * `key` names the values, `blocks` are outlined ([first, beyond last, words]), `onPick(i)` is told clicks on names.
 */
function heatMap(width, names, matrix, options) {
  const { signed = false, format = (v) => v.toFixed(2), label, key = "", blocks = [], onPick = null } = options;
  const place = squarePlace(width, names, blocks);
  const { left, top, cell } = place;
  const [count, side] = [names.length, place.cell * names.length];
  const none = matrix.some((row) => row.includes(null)) ? "no value" : "";
  const ends = signed ? [-1, 0, 1] : [0, 0.5, 1];
  const colours = flow(
    [
      colourKey(
        key,
        ends.map((v, i) => [i / 2, format(v)]),
        { signed, none },
      ),
    ],
    width,
  );
  const below = top + side + 12;
  const height = below + (count > 12 ? 16 : 0) + colours.height;
  const svg = drawChart(width, height, label);
  names.forEach((name, i) => {
    svg.append(rowName(name, i, place, onPick));
    if (place.upper) svg.append(columnName(name, i, place));
  });
  if (count > 12) {
    const level = (i, j) => (matrix[i][j] === null ? null : Math.round(LEVELS * matrix[i][j]));
    const cells = draw("g", { transform: `translate(${left} ${top}) scale(${cell})` });
    cells.append(...cellPaths(count, count, level, signed));
    svg.append(cells);
    readCells(
      svg,
      { left, top, wide: cell, high: cell, rows: count, columns: count, x: left, y: below + 6, room: width - left },
      (i, j) =>
        `${shortened(names[i], 60)}, ${shortened(names[j], 60)}: ${matrix[i][j] === null ? "–" : format(matrix[i][j])}`,
    );
  } else
    names.forEach((name, i) =>
      names.forEach((other, j) => {
        const who = `${shortened(name, 80)}, ${shortened(other, 80)}`;
        svg.append(...heatCell(matrix[i][j], left + cell * j, top + cell * i, cell, who, signed, format));
      }),
    );
  blocks.forEach((block) => svg.append(...outlined(block, place, side)));
  colours.element.setAttribute("transform", `translate(0 ${height - colours.height})`);
  svg.append(colours.element);
  return svg;
}

/** Where a square table stands: room for the longest names, on the left and slanted or level above few columns. */
function squarePlace(width, names, blocks) {
  const right = blocks.length
    ? widest(
        blocks.map((block) => block[2]),
        90,
      ) + 16
    : 4;
  const left = widest(names, Math.max(60, width * 0.36)) + 10;
  const upper = names.length <= 12 ? widest(names, Math.max(50, width * 0.36)) : 0;
  let cell = Math.min(56, (width - left - right) / names.length);
  const slanted = upper > cell - 4;
  if (slanted) cell = Math.min(cell, (width - left - Math.max(right, SLANT.across * upper)) / (names.length - 0.5));
  const top = upper ? 12 + (slanted ? SLANT.up * upper + 6 : 12) : 4;
  return { left, top, cell, upper, slanted, size: Math.min(12, Math.max(9, cell * 0.95)) };
}

/** Names above columns rise by 50°. */
const SLANT = { angle: -50, across: Math.cos((50 * Math.PI) / 180), up: Math.sin((50 * Math.PI) / 180) };

function rowName(name, i, { left, top, cell, size }, onPick) {
  if (cell < 8.5) return draw("g");
  const text = drawName(name, left - 10, {
    size,
    x: left - 7,
    y: top + cell * (i + 0.5) + size * 0.35,
    "text-anchor": "end",
    class: onPick ? "pick" : null,
  });
  if (onPick) text.addEventListener("click", () => onPick(i));
  return text;
}

function columnName(name, i, { left, top, cell, upper, slanted }) {
  const x = left + cell * (i + 0.5);
  return slanted
    ? drawName(name, upper, { x: 0, y: 0, transform: `translate(${x + 2} ${top - 6}) rotate(${SLANT.angle})` })
    : drawName(name, upper, { x, y: top - 8, "text-anchor": "middle" });
}

/** The outline of a block on the diagonal, and its name right of the table. */
function outlined([first, end, words], { left, top, cell }, side) {
  const [from, size] = [cell * first, cell * (end - first)];
  const bar = left + side + 5;
  return [
    draw("rect", { class: "block", x: left + from, y: top + from, width: size, height: size }),
    draw("line", { class: "block", x1: bar, x2: bar, y1: top + from + 1, y2: top + from + size - 1 }),
    drawName(words, 90, { x: bar + 6, y: top + from + size / 2 + 4 }),
  ];
}

function heatCell(value, x, y, size, who, signed, format) {
  const colour = heatColour(value, signed);
  const told = value === null ? "–" : format(value);
  const ground = { fill: themed(colour), stroke: "var(--card)" };
  const box = { x, y, width: size, height: size, style: ground };
  const parts = [draw("rect", { ...box, class: "cell" }, draw("title", {}, `${who}: ${told}`))];
  if (size >= 34 && value !== null)
    parts.push(
      draw(
        "text",
        {
          class: "on-cell",
          x: x + size / 2,
          y: y + size / 2 + 4,
          "text-anchor": "middle",
          style: { fill: themedInk(colour) },
        },
        told,
      ),
    );
  return parts;
}
