// Samples × best features: z-scores, clustered, with a bar of groups.

const heat = DATA.views.heat_map;
const heatSteps = new Int8Array(Uint8Array.from(atob(heat.steps), (c) => c.charCodeAt(0)).buffer);
const NO_STEP = -128; // stands for the values of a constant feature
const someDropped = kept.size > 0 && heat.place.some((place) => !kept.has(place));

const heatSample = (i) => (heat.name ? heat.name[i] : `sample ${heat.number[i] + 1}`);
const stepAt = (row, sample) => heatSteps[row * heat.number.length + sample];

/** Samples that are drawn in so many pixels: all, or of each group every second, third and so on. */
function thinned(room) {
  const every = Math.max(1, Math.ceil(heat.number.length / room));
  const seen = new Map();
  return heat.group
    .map((group, i) => [i, seen.set(group, (seen.get(group) ?? -1) + 1).get(group)])
    .filter(([, within]) => within % every === 0)
    .map(([i]) => i);
}

/** Runs of samples of one group: [group, first, beyond last]. */
function groupRuns(drawn) {
  const starts = drawn.map((_, at) => at).filter((at) => !at || heat.group[drawn[at]] !== heat.group[drawn[at - 1]]);
  return starts.map((start, i) => [heat.group[drawn[start]], start, starts[i + 1] ?? drawn.length]);
}

const barColour = (group) => (group < 0 ? "var(--soft)" : groupColours[group]);

/** What stands above the cells: the key of colours, what is kept, and groups that have no room at their bar. */
function heatMapKeys(width, runs, isNamed) {
  const ends = [`≤ -${heat.limit}`, "mean", `≥ ${heat.limit}`].map((words, i) => [i / 2, words]);
  const none = heatSteps.includes(NO_STEP) ? "constant" : "";
  const items = [colourKey("z-score", ends, { signed: true, none })];
  const dot = (filled) => draw("circle", { cx: 6, cy: 6, r: 3.5, class: filled ? "kept-dot" : "kept-dot open" });
  if (someDropped) items.push(flowName("kept", dot(true), width), flowName("next of the ranking", dot(false), width));
  if (runs.length > 1 && !isNamed)
    for (const [group] of runs) {
      const swatch = draw("rect", { width: 12, height: 12, rx: 3, style: { fill: barColour(group) } });
      items.push(flowName(group < 0 ? "in no group" : groups.names[group], swatch, width));
    }
  return flow(items, width, 18);
}

/** Where everything stands, for a width. */
function heatMapPlace(width) {
  const left = widest(heat.features, Math.max(90, width * 0.38)) + (someDropped ? 22 : 10);
  const drawn = thinned(width - left - 2);
  const [rows, columns] = [heat.features.length, drawn.length];
  const wide = Math.min(30, (width - left - 2) / columns);
  const runs = groupRuns(drawn);
  const isNamed = runs.every(
    ([group, start, end]) => group >= 0 && textWidth(groups.names[group]) < wide * (end - start) - 4,
  );
  const foot = wide >= 11 ? widest(drawn.map(heatSample), 120, 10) + 8 : 0;
  return { left, drawn, rows, columns, wide, high: rows > 40 ? 15 : 17, runs, isNamed, foot };
}

function heatMapChart(width) {
  const place = heatMapPlace(width);
  const { left, drawn, rows, columns, wide, high, runs, isNamed, foot } = place;
  const keys = heatMapKeys(width, runs, isNamed);
  const bar = keys.height + (runs.length > 1 ? (isNamed ? 28 : 12) : 0);
  const top = bar + (runs.length > 1 ? 14 : 8);
  const label = `z-scores of ${rows} features on ${columns} samples, both clustered; the list below has the names.`;
  const svg = drawChart(width, top + rows * high + foot + 22, label);
  svg.append(keys.element);
  const level = (i, j) => (stepAt(i, drawn[j]) === NO_STEP ? null : stepAt(i, drawn[j]));
  const cells = draw("g", { class: "cells", transform: `translate(${left} ${top}) scale(${wide} ${high})` });
  cells.append(...cellPaths(rows, columns, level, true));
  svg.append(cells, ...groupBar(place, bar, top), ...heatMapNames(place, top));
  const box = { left, top, wide, high, rows, columns, x: left, y: top + rows * high + foot + 16, room: width - left };
  readCells(svg, box, (row, column) => cellWords(row, drawn[column]));
  return svg;
}

/** Feature, sample, group and value of a cell in words. */
function cellWords(row, sample) {
  const z = stepAt(row, sample);
  const told =
    z === NO_STEP
      ? "constant"
      : `z ${Math.abs(z) >= heat.limit / heat.step ? (z < 0 ? "≤ " : "≥ ") : ""}${(z * heat.step).toFixed(1)}`;
  const who = [shortened(heat.features[row], 40), shortened(heatSample(sample), 40)];
  return `${told}: ${who.join(", ")}${groups.names.length > 1 ? `, ${groupName(heat.group[sample])}` : ""}`;
}

/** A bar in the colours of the groups above the cells, their names where there is room, and lines between them. */
function groupBar({ left, wide, high, rows, runs, isNamed }, bar, top) {
  if (runs.length < 2) return [];
  return runs.flatMap(([group, start, end], i) => {
    const [x, width] = [left + wide * start, wide * (end - start)];
    const title = draw("title", {}, group < 0 ? "in no group" : groups.names[group]);
    const style = { fill: barColour(group) };
    return [
      draw("rect", { class: "group-bar", x, y: bar, width: Math.max(1, width - 1), height: 9, style }, title),
      isNamed
        ? drawName(groups.names[group], width, { x: x + width / 2, y: bar - 6, "text-anchor": "middle" })
        : draw("g"),
      draw("line", { class: "group-line", x1: x, x2: x, y1: top, y2: i ? top + rows * high : top }),
    ];
  });
}

/** Names of features beside their rows, marked where they are kept, and of samples where there is room. */
function heatMapNames({ left, drawn, wide, high, rows, foot }, top) {
  const [room, end] = someDropped ? [left - 22, left - 18] : [left - 10, left - 7];
  const bottom = top + rows * high + 6;
  return [
    ...heat.features.flatMap((name, i) => {
      const [place, y] = [heat.place[i], top + high * (i + 0.5)];
      const style = place === chosen ? { fill: "var(--accent)", fontWeight: 600 } : {};
      const text = drawName(name, place === chosen ? 0.9 * room : room, {
        class: "pick",
        x: end,
        y: y + 4,
        "text-anchor": "end",
        style,
      });
      text.addEventListener("click", () => choose(place));
      const dot = { class: kept.has(place) ? "kept-dot" : "kept-dot open", cx: left - 9, cy: y, r: 3 };
      return someDropped ? [text, draw("circle", dot)] : [text];
    }),
    ...(foot
      ? drawn.map((i, at) => {
          const turned = `translate(${left + wide * (at + 0.5) + 3.5} ${bottom}) rotate(-90)`;
          return drawName(heatSample(i), 120, { size: 10, transform: turned, "text-anchor": "end" });
        })
      : []),
  ];
}

whenChosen.push(chart(byId("heat-map-chart"), heatMapChart));
