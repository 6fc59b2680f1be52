// The picture of the samples.

const across = [...(embedding?.axes ?? [])]; // places of the two eigenvectors that are drawn

function embeddingChart(width) {
  const values = chosen === null ? null : valuesOf(chosen);
  const [low, high] = values ? colourEnds(values) : [];
  const colour = (i) =>
    values
      ? valueColour((values[i] - low) / (high - low || 1))
      : samples.group[i] < 0
        ? "var(--soft)"
        : groupColours[samples.group[i]];
  const titles = samples.group.map(
    (g, i) => `${sampleName(i)}, ${groupName(g)}${values ? `: ${readable(values[i])}` : ""}`,
  );
  const axisNames = across.map((axis) => `eigenvector ${embedding.eigenvectors[axis]}`);
  const label = `${samples.number.length} samples in two eigenvectors, coloured by ${values ? shortened(names[chosen], 60) : groups.kind}.`;
  const key = values ? valueKey(low, high) : make("ul", { class: "legend" });
  if (!values) legend(key, groups.names, groupColours);
  return make(
    "div",
    {},
    key,
    scatter(
      width,
      ...across.map((axis) => embedding.coordinates[axis]),
      samples.group.map((_, i) => colour(i)),
      titles,
      axisNames,
      label,
      chosen === null ? [] : explained(chosen)?.edges,
    ),
  );
}

function valueKey(low, high) {
  const stops = [0, 0.25, 0.5, 0.75, 1].map(valueColour).join(", ");
  const strip = make("span", {
    style: { width: "140px", height: "11px", borderRadius: "3px", background: `linear-gradient(to right, ${stops})` },
  });
  return make(
    "ul",
    { class: "legend" },
    make("li", {}, make("span", {}, readable(low)), strip, make("span", {}, readable(high))),
  );
}

const repaintEmbedding = embedding ? chart(byId("embedding-chart"), embeddingChart) : () => {};

["across", "up"].forEach((id, place) => {
  const list = byId(id);
  if (!list) return;
  list.append(...embedding.eigenvectors.map((number, axis) => make("option", { value: axis }, String(number))));
  list.value = across[place];
  list.addEventListener("change", () => ((across[place] = Number(list.value)), repaintEmbedding()));
});

/** The list of what samples can be coloured by: groups, the best features, and the chosen one wherever it ranks. */
function fillColours() {
  const list = byId("colour");
  if (!list) return;
  const places = Array.from({ length: Math.min(50, DATA.values.count) }, (_, i) => i);
  if (chosen !== null && chosen >= places.length && chosen < DATA.values.count) places.push(chosen);
  list.replaceChildren(
    make("option", { value: "" }, groups.kind),
    ...places.map((i) => make("option", { value: i }, `${i + 1}. ${shortened(names[i], 40)}`)),
  );
  list.value = chosen !== null && chosen < DATA.values.count ? String(chosen) : "";
}

byId("colour")?.addEventListener("change", (event) =>
  choose(event.target.value === "" ? chosen : Number(event.target.value)),
);

whenChosen.push(fillColours, repaintEmbedding);
fillColours();
