// The graph that the scores used: its degrees and its spectrum.

/** Eigenvalues as stems; those before a gap that stands out are coloured. */
function spectrumChart(width, { eigenvalues, clusters }) {
  const high = Math.max(...eigenvalues) || 1;
  const label = `${eigenvalues.length} smallest eigenvalues; ${clusters === null ? "no clear number of clusters" : `the gap after ${clusters} stands out`}.`;
  const frame = axes({
    width,
    height: 360,
    x: { low: 0.5, high: eigenvalues.length + 0.5, whole: true, name: "eigenvalue" },
    y: { low: 0, high },
    label,
  });
  eigenvalues.forEach((value, i) => {
    const x = frame.sx(i + 1);
    const colour = clusters === null || i < clusters ? "var(--accent)" : "var(--soft)";
    const style = { fill: colour, stroke: colour };
    frame.svg.append(draw("line", { x1: x, x2: x, y1: frame.sy(0), y2: frame.sy(value), style }));
    frame.svg.append(
      draw("circle", { cx: x, cy: frame.sy(value), r: 4, style }, draw("title", {}, `λ${i + 1} = ${readable(value)}`)),
    );
  });
  if (clusters !== null && clusters < eigenvalues.length) upright(frame, clusters + 0.5, `gap after ${clusters}`);
  return frame.svg;
}

/** Counts in bins of one width. */
function histogram(width, { counts, low, high }, name) {
  const most = Math.max(...counts);
  const edge = (i) => low + (i / counts.length) * (high - low);
  const label = `Histogram of ${name}, from ${readable(low)} to ${readable(high)}.`;
  const frame = axes({
    width,
    height: 170,
    x: { low, high, name },
    y: { low: 0, high: most, ticks: ticks(0, most, 3), name: "samples" },
    label,
  });
  counts.forEach((count, i) => {
    const [left, right] = [frame.sx(edge(i)), frame.sx(edge(i + 1))];
    if (count)
      frame.svg.append(
        draw(
          "rect",
          {
            x: left + 0.5,
            width: Math.max(1, right - left - 1),
            y: frame.sy(count),
            height: frame.sy(0) - frame.sy(count),
            style: { fill: "var(--accent)" },
          },
          draw("title", {}, `${count} samples`),
        ),
      );
  });
  return frame.svg;
}

if (DATA.views.spectrum) chart(byId("spectrum-chart"), (width) => spectrumChart(width, DATA.views.spectrum));
if (DATA.views.degrees)
  chart(byId("degree-chart"), (width) => histogram(width, DATA.views.degrees, "degree (sum of similarities)"));
