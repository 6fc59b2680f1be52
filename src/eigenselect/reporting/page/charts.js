// Charts: each is a function of a width, and of what it shows, that returns an <svg>.

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
