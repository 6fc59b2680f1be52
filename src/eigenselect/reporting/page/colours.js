// Colours and shapes: of groups, which palette.py chooses, and of values, from low to high.

const GROUP_COLOURS = 20;
/** Corners of every shape around the origin; a circle has none. All cover about the same area as a circle of radius 1. */
const PLUS = [
  [-0.42, -1.25],
  [0.42, -1.25],
  [0.42, -0.42],
  [1.25, -0.42],
  [1.25, 0.42],
  [0.42, 0.42],
  [0.42, 1.25],
  [-0.42, 1.25],
  [-0.42, 0.42],
  [-1.25, 0.42],
  [-1.25, -0.42],
  [-0.42, -0.42],
];
const turned = (corners, angle) =>
  corners.map(([x, y]) => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)]);
const SQUARE = [
  [-0.9, -0.9],
  [0.9, -0.9],
  [0.9, 0.9],
  [-0.9, 0.9],
];
const TRIANGLE = [
  [0, -1.35],
  [1.2, 0.8],
  [-1.2, 0.8],
];
const SHAPES = {
  circle: null,
  square: SQUARE,
  triangle: TRIANGLE,
  diamond: turned(SQUARE, Math.PI / 4),
  plus: PLUS,
  down: turned(TRIANGLE, Math.PI),
  cross: turned(PLUS, Math.PI / 4),
  star: Array.from({ length: 10 }, (_, i) => {
    const [size, angle] = [i % 2 ? 0.6 : 1.5, (i * Math.PI) / 5];
    return [size * Math.sin(angle), -size * Math.cos(angle)];
  }),
};
const SHAPE_NAMES = Object.keys(SHAPES);

const groupColour = (index) => `var(--group-${index % GROUP_COLOURS})`;

/** Groups beyond the last colour begin again with the first, in other shapes. */
function groupShape(index) {
  const turn = Math.floor(index / (2 * GROUP_COLOURS));
  return SHAPE_NAMES[(index + turn) % SHAPE_NAMES.length];
}

/** A mark of a shape at a place; its radius is that of a circle of the same area. */
function mark(shape, x, y, radius, properties = {}, ...children) {
  const corners = SHAPES[shape];
  if (!corners) return draw("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: radius, ...properties }, ...children);
  const path = corners.map(
    ([a, b], i) => `${i ? "L" : "M"}${(x + radius * a).toFixed(1)} ${(y + radius * b).toFixed(1)}`,
  );
  return draw("path", { d: `${path.join("")}Z`, ...properties }, ...children);
}

/** A list of colours, with shapes if there are some, and what they stand for. */
function legend(list, names, colours, shapes = null) {
  const swatch = (i) =>
    shapes
      ? draw(
          "svg",
          { class: "shape", width: 14, height: 14, "aria-hidden": "true" },
          mark(shapes[i], 7, 7, 4.5, { style: { fill: colours[i] } }),
        )
      : make("span", { class: "swatch", style: { background: colours[i] } });
  list.replaceChildren(...names.map((name, i) => make("li", {}, swatch(i), make("span", { title: name }, name))));
}

// From low to high, readable on both grounds.
const LOW_TO_HIGH = [
  [68, 84, 160],
  [42, 145, 150],
  [120, 190, 95],
  [240, 210, 60],
];

function valueColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (LOW_TO_HIGH.length - 1);
  const left = Math.min(Math.floor(place), LOW_TO_HIGH.length - 2);
  const mixed = LOW_TO_HIGH[left].map((low, c) => Math.round(low + (place - left) * (LOW_TO_HIGH[left + 1][c] - low)));
  return `rgb(${mixed.join(" ")})`;
}
