// A square table of numbers as colours: correlations, shared features, agreement.

/** A square table of numbers as colours, from `low` (plain) to `high` (strong); numbers are written where they fit. */
function heatMap(width, names, matrix, { signed = false, format = (v) => v.toFixed(2), label }) {
  const longest = Math.min(22, Math.max(...names.map((n) => Array.from(n.slice(0, 60)).length)));
  const left = Math.min(longest * 7 + 12, width * 0.42);
  const cell = Math.min(56, (width - left - 4) / names.length);
  const fits = Math.max(4, Math.floor(left / 7) - 1);
  const upper = names.length <= 8 ? 0 : cell >= 11 ? left : 8; // few columns are named below each other, many upright
  const top = upper || 26;
  const svg = draw("svg", { width, height: top + cell * names.length + 4, role: "img", "aria-label": label });
  names.forEach((name, i) => {
    const y = top + cell * (i + 0.5) + 4;
    if (cell >= 9)
      svg.append(
        draw("text", { x: left - 7, y, "text-anchor": "end" }, shortened(name, fits), draw("title", {}, name)),
      );
    const x = left + cell * (i + 0.5);
    if (upper > 8)
      svg.append(
        draw(
          "text",
          { x: 0, y: 0, transform: `translate(${x + 4} ${top - 6}) rotate(-90)` },
          shortened(name, fits),
          draw("title", {}, name),
        ),
      );
    else if (!upper)
      svg.append(
        draw(
          "text",
          { x, y: top - 8, "text-anchor": "middle" },
          shortened(name, Math.max(3, Math.floor(cell / 7.5))),
          draw("title", {}, name),
        ),
      );
    names.forEach((other, j) =>
      svg.append(
        ...heatCell(
          matrix[i][j],
          left + cell * j,
          top + cell * i,
          cell,
          `${shortened(name, 80)}, ${shortened(other, 80)}`,
          signed,
          format,
        ),
      ),
    );
  });
  return svg;
}

function heatCell(value, x, y, size, who, signed, format) {
  const strength = value === null ? 0 : Math.min(1, Math.abs(value));
  const hue = value !== null && value < 0 && signed ? "var(--cut)" : "var(--accent)";
  const ground = {
    fill: value === null ? "none" : `color-mix(in srgb, ${hue} ${Math.round(100 * strength)}%, var(--card))`,
    stroke: "var(--card)",
  };
  const parts = [
    draw(
      "rect",
      { x, y, width: size, height: size, style: ground },
      draw("title", {}, `${who}: ${value === null ? "–" : format(value)}`),
    ),
  ];
  const ink = strength > 0.55 ? "var(--card)" : "var(--ink)";
  if (size >= 34 && value !== null)
    parts.push(
      draw(
        "text",
        { class: "on-cell", x: x + size / 2, y: y + size / 2 + 4, "text-anchor": "middle", style: { fill: ink } },
        format(value),
      ),
    );
  return parts;
}
