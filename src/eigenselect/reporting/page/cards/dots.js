// The dot plot: features × groups, mean as colour and share of high values as area.

const dotPlot = DATA.views.dots;

/** The mean z-score at which colours end: the largest there is, to the next half. */
const dotsLimit = () => Math.min(2.5, Math.max(0.5, Math.ceil(2 * Math.max(...dotPlot.mean.flat().map(Math.abs))) / 2));

/** Keys of colour and of area. */
function dotsKeys(width, radius) {
  const limit = dotsLimit();
  const ends = [`≤ -${limit}`, "0", `≥ ${limit}`].map((words, i) => [i / 2, words]);
  const none = dotPlot.mean.flat().includes(null) ? "constant" : "";
  const sizes = draw("g", { class: "size-key" }, draw("text", { x: 0, y: 10 }, `share ${dotPlot.share_of}`));
  [0.2, 0.4, 0.6, 0.8, 1].forEach((share, i) => {
    const x = 14 + 42 * i;
    const r = radius * Math.sqrt(share);
    sizes.append(draw("circle", { class: "dot", cx: x, cy: 24, r, style: { fill: "var(--soft)" } }));
    sizes.append(draw("text", { x, y: 46, "text-anchor": "middle" }, `${100 * share} %`));
  });
  const wide = Math.max(210, textWidth(`share ${dotPlot.share_of}`));
  return flow(
    [colourKey("mean z-score", ends, { signed: true, none }), { element: sizes, width: wide, height: 52 }],
    width,
  );
}

/** Where the dots of a width stand: features across where they fit, else down; names above slanted, or upright. */
function dotsPlace(width) {
  const groupNames = dotPlot.group.map((code) => groups.names[code]);
  const [features, count] = [dotPlot.features, dotPlot.features.length];
  const across = width >= 18 * count + widest(groupNames, width * 0.22) + 16;
  const [rows, columns] = across ? [groupNames, features] : [features, groupNames];
  const most = across ? width * 0.22 : Math.min(width * 0.6, width - 22 * columns.length - 20);
  const left = widest(rows, Math.max(80, most)) + 12;
  const upper = widest(columns, width > 600 ? 260 : 220);
  const slanted = (width - left - SLANT.across * upper) / columns.length >= 20;
  const beyond = slanted ? SLANT.across * upper : 8; // where the last slanted name ends
  const wide = Math.min(46, (width - left - beyond) / columns.length);
  const high = onPaper.now ? 18 : 24; // on paper the card has one sheet
  return { across, rows, columns, left, upper, slanted, wide, high, radius: Math.min(wide, high) * 0.46 };
}

function dotsChart(width) {
  const { across, rows, columns, left, upper, slanted, wide, high, radius } = dotsPlace(width);
  const keys = dotsKeys(width, radius);
  const top = keys.height + 20 + (slanted ? SLANT.up : 1) * upper;
  const label = `Means of ${dotPlot.features.length} features in ${dotPlot.group.length} groups.`;
  const svg = drawChart(width, top + high * rows.length + 4, label);
  svg.append(keys.element);
  rows.forEach((name, i) => {
    const place = { x: left - 9, y: top + high * (i + 0.5) + 4, "text-anchor": "end" };
    svg.append(dotName(name, across ? null : i, left - 12, place));
  });
  columns.forEach((name, j) => {
    const turned = `translate(${left + wide * (j + 0.5) + 3} ${top - 6}) rotate(${slanted ? SLANT.angle : -90})`;
    svg.append(dotName(name, across ? j : null, upper, { transform: turned }));
  });
  dotPlot.group.forEach((_, g) =>
    dotPlot.features.forEach((_, f) => {
      const [i, j] = across ? [g, f] : [f, g];
      svg.append(dotOf(g, f, left + wide * (j + 0.5), top + high * (i + 0.5), radius));
    }),
  );
  return svg;
}

/** A name; that of a feature can be clicked. */
function dotName(name, feature, room, properties) {
  const text = drawName(name, room, { ...properties, class: feature === null ? null : "pick" });
  if (feature !== null) text.addEventListener("click", () => choose(dotPlot.place[feature]));
  return text;
}

function dotOf(g, f, cx, cy, radius) {
  const [mean, share] = [dotPlot.mean[g][f], dotPlot.share[g][f]];
  const shown = mean === null ? null : Math.min(1, Math.max(-1, mean / dotsLimit()));
  const told = `${shortened(dotPlot.features[f], 60)}, ${groupName(dotPlot.group[g])}: mean z ${readable(mean, 3)}, ${readable(100 * share, 3)} % ${dotPlot.share_of}`;
  const style = { fill: themed(heatColour(shown, true)) };
  return draw("circle", { class: "dot", cx, cy, r: radius * Math.sqrt(share), style }, draw("title", {}, told));
}

if (dotPlot) chart(byId("dots-chart"), dotsChart);
