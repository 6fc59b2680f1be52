// Why the chosen feature scores: at which scale it varies, and what each class adds.

/** At which scale a feature varies, and where it is rough. */
function scalePart(place, width) {
  const [view, found] = [DATA.views.explanations, explained(place)];
  if (!found?.shares) return [];
  const half = halfOf(found.shares, view);
  const said =
    `Shares of its variation by eigenvalue of ${view.of}. ${half} ` +
    `Lines: the mean of its values when they are shuffled over the samples, and above it what 99 of 100 shuffles of a bell-shaped feature stay below. ` +
    (view.saw_features
      ? "This graph was made of the features, so noise among them is slower than shuffled values, too: a bar above the line is no discovery."
      : "If the graph was made of these features, noise among them is slower than shuffled values, too.");
  const rough = `The ${found.edges.length} lines in the picture of the samples join the neighbours between which it differs most: ${readable(100 * found.edge_share, 2)} % of its roughness.`;
  const key = make("ul", { class: "legend" });
  const colours = ["var(--accent)", "var(--cut)", "var(--soft)"];
  legend(key, [shortened(names[place], 40), "shuffled: mean", "shuffled: 99 of 100"], colours);
  return [
    make("h4", {}, "Why it scores: by scale"),
    make("p", { class: "about" }, said),
    key,
    make(
      "div",
      { class: "chart", "data-figure": "scales", "data-of": names[place] },
      scaleChart(Math.min(width, 640), view, found.shares, `Shares of ${shortened(names[place], 60)} by eigenvalue.`),
    ),
    ...(found.edges.length && embedding ? [make("p", { class: "about" }, rough)] : []),
  ];
}

/** How far half of the variation reaches, beside shuffled values. */
function halfOf(shares, { borders, expected }) {
  let [sum, shuffled, i] = [0, 0, 0];
  while (i < shares.length && sum < 0.5) ((sum += shares[i]), (shuffled += expected[i]), i++);
  return `${Math.round(100 * sum)} % of it lies at eigenvalues up to ${readable(borders[i], 2)}, where shuffled values have ${readable(100 * shuffled, 2)} %.`;
}

/** Which classes a feature sets apart: parts of its scatter between their means and that of all samples. */
function classPart(place) {
  const view = DATA.views.by_class;
  const between = view?.between[place];
  if (!between) return [];
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const line = (name, i) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", title: name }, make("span", { class: "clamped" }, name)),
      make("td", { class: "right" }, String(view.sizes[i])),
      make("td", { class: "right" }, readable(view.means[place][i], 3)),
      make("td", { class: "right" }, percent(between[i])),
      make("td", { class: "right" }, percent(view.expected[i])),
    );
  const heads = ["samples", "mean", "share", "shuffled"].map((head) =>
    make("th", { scope: "col", class: "right" }, head),
  );
  const [sum, chance] = [between, view.expected].map((shares) => shares.reduce((a, b) => a + b, 0));
  const said =
    `Share of its scatter that lies between the mean of a class and that of all samples: ${percent(sum)} together, ` +
    `${percent(chance)} on average if its values are shuffled. The best of many features have more than that on noise, too.`;
  return [
    make("h4", {}, "Why it scores: by class"),
    make("p", { class: "about" }, said),
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scatter by class" },
      make(
        "table",
        { class: "by-class" },
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "class"), ...heads)),
        make("tbody", {}, ...view.names.map(line)),
      ),
    ),
  ];
}

// -- the chart --------------------------------------------------------------------------------------------------------

/** Shares of a feature by bin of eigenvalues, with the mean of its shuffled values and the level they rarely pass. */
function scaleChart(width, { borders, expected, level, whole }, shares, label) {
  const high = Math.max(...shares, ...expected, ...level);
  const frame = axes({
    width,
    height: 230,
    x: { low: 0, high: shares.length, ticks: [], name: "eigenvalue: slow variation left, fast right" },
    y: { low: 0, high: high > 0 ? high * 1.05 : 1, name: "share" },
    label,
  });
  shares.forEach((share, i) => {
    const [left, right] = [frame.sx(i), frame.sx(i + 1)];
    const beyond = !whole && i === shares.length - 1;
    const told = `${beyond ? `beyond ${readable(borders[i], 3)}` : `eigenvalues ${readable(borders[i], 3)} to ${readable(borders[i + 1], 3)}`}: ${readable(100 * share, 3)} %, shuffled ${readable(100 * expected[i], 3)} %, rarely above ${readable(100 * level[i], 3)} %`;
    frame.svg.append(
      draw(
        "rect",
        {
          x: left + 1,
          width: Math.max(1, right - left - 2),
          y: frame.sy(share),
          height: Math.max(0, frame.sy(0) - frame.sy(share)),
          style: { fill: "var(--accent)", fillOpacity: 0.75 },
        },
        draw("title", {}, told),
      ),
    );
  });
  const steps = (values) => values.flatMap((v, i) => [i, i + 1].map((at) => [frame.sx(at), frame.sy(v)]));
  frame.svg.append(draw("path", { class: "series shuffled", d: pathOf(steps(expected)) }));
  frame.svg.append(draw("path", { class: "series shuffled level", d: pathOf(steps(level)) }));
  const every = Math.ceil((borders.length - 1) / Math.max(2, Math.floor(width / 80)));
  borders.forEach((border, i) => {
    const last = i === borders.length - 1;
    const aside = i % every !== 0 || borders.length - 1 - i < every;
    if (!last && i && aside) return;
    const place = { x: frame.sx(i), y: frame.box.bottom + 16, "text-anchor": last ? "end" : i ? "middle" : "start" };
    frame.svg.append(draw("text", place, last && !whole ? "more" : readable(border, 2)));
  });
  return frame.svg;
}
