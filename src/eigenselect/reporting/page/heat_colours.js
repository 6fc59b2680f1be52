// Colours of cells for values with a sign (blue, ground, orange) and without (ground, blue), as plain sRGB for light and
// for dark, so that the ink on a cell can be chosen by contrast; and keys that say what a colour means.

const SIGNED = {
  light: [
    [8, 69, 148],
    [92, 160, 209],
    [246, 246, 244],
    [244, 162, 89],
    [153, 57, 0],
  ],
  dark: [
    [140, 205, 255],
    [43, 108, 168],
    [38, 43, 48],
    [176, 92, 26],
    [255, 190, 125],
  ],
};
const PLAIN = { light: SIGNED.light.slice(0, 3).reverse(), dark: SIGNED.dark.slice(0, 3).reverse() };
/** Of a cell without a value: neither end, nor the middle. */
const NO_COLOUR = { light: [176, 182, 188], dark: [92, 100, 108] };
const THEMES = ["light", "dark"];

/** Red, green and blue between stops of equal distance, at a share from 0 to 1. */
function betweenStops(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const left = Math.min(Math.floor(place), stops.length - 2);
  return stops[left].map((low, c) => Math.round(low + (place - left) * (stops[left + 1][c] - low)));
}

/** The colour of a value from -1 (or 0, without a sign) to 1 in both themes; null has none. */
function heatColour(value, signed) {
  if (value === null) return NO_COLOUR;
  const [stops, share] = signed ? [SIGNED, (value + 1) / 2] : [PLAIN, value];
  return Object.fromEntries(THEMES.map((theme) => [theme, betweenStops(stops[theme], share)]));
}

/** Relative luminance of sRGB, as contrast is measured (WCAG 2). */
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 10 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever is told better from a colour: one of them always has a contrast above 4.5. */
const inkOn = (rgb) => (luminance(rgb) > 0.1791 ? [0, 0, 0] : [255, 255, 255]);

/** A colour of both themes as a style. */
const themed = ({ light, dark }) => `light-dark(rgb(${light.join(" ")}), rgb(${dark.join(" ")}))`;
const themedInk = ({ light, dark }) => themed({ light: inkOn(light), dark: inkOn(dark) });

/** A strip of colours with ticks (place from 0 to 1, words) under it and a name above, as a part of `flow`. */
function colourKey(name, ticks, { signed = false, none = "" } = {}) {
  const [strip, steps] = [160, 40];
  const [before, after] = [ticks[0], ticks.at(-1)].map(([, words]) => textWidth(words) / 2);
  const wide = Math.max(before + strip + after, textWidth(name));
  const group = draw("g", { class: "colour-key" }, draw("text", { x: 0, y: 10 }, name));
  for (let i = 0; i < steps; i++) {
    const value = (i + 0.5) / steps;
    const style = { fill: themed(heatColour(signed ? 2 * value - 1 : value, signed)) };
    group.append(
      draw("rect", { x: before + (strip * i) / steps, y: 16, width: strip / steps + 0.4, height: 10, style }),
    );
  }
  for (const [place, words] of ticks) {
    const x = before + strip * place;
    group.append(draw("line", { class: "axis", x1: x, x2: x, y1: 26, y2: 30 }));
    group.append(draw("text", { x, y: 41, "text-anchor": "middle" }, words));
  }
  if (!none) return { element: group, width: wide, height: 46 };
  const style = { fill: themed(NO_COLOUR) };
  group.append(draw("rect", { x: wide + 14, y: 16, width: 12, height: 10, style }));
  group.append(draw("text", { x: wide + 31, y: 25.5 }, none));
  return { element: group, width: wide + 32 + textWidth(none), height: 46 };
}
