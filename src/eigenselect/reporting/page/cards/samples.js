// The picture of the samples: in eigenvectors, or in a map that came with the table.

const planes = DATA.views.pictures.planes;
const across = [...(embedding?.axes ?? [])]; // places of the two eigenvectors that are drawn
const pictureKeys = [...planes.map(({ key }) => key), ...(embedding ? ["eigenvectors"] : [])];
let pictured = pictureKeys.includes(DATA.views.pictures.first) ? DATA.views.pictures.first : pictureKeys[0];
const whenPictured = []; // what cards with a copy of the picture do when another one is chosen

/** Coordinates, names of axes and manner of the picture that is chosen. */
function pictureParts() {
  const plane = planes.find(({ key }) => key === pictured);
  if (plane)
    return {
      points: plane.coordinates,
      axisNames: plane.axes,
      where: plane.spatial ? "at their places on the slide" : `in ${plane.name}`,
      manner: { equal: plane.spatial, down: plane.spatial },
    };
  return {
    points: across.map((axis) => embedding.coordinates[axis]),
    axisNames: across.map((axis) => `eigenvector ${embedding.eigenvectors[axis]}`),
    where: "in two eigenvectors",
    manner: {},
  };
}

/** Colours by a feature, as far as the page holds its values, else by group; and the ends of its colours. */
function sampleColours(feature) {
  const values = feature === null ? null : valuesOf(feature);
  if (!values) return { colours: samples.group.map((code) => (code < 0 ? "var(--soft)" : groupColours[code])), values };
  const [low, high] = colourEnds(values);
  return { colours: values.map((value) => valueColour((value - low) / (high - low || 1))), values, low, high };
}

/** The samples as points, coloured by a feature, the chosen one if there is one, or by group; `small` without key. */
function samplesPicture(width, { height, small = false, feature = chosen } = {}) {
  if (!pictured) return make("p", { class: "about" }, "There is no picture of the samples.");
  const { points, axisNames, where, manner } = pictureParts();
  const { colours, values, low, high } = sampleColours(feature);
  const shapes = samples.group.map((code) => (code < 0 ? "circle" : groupShapes[code]));
  const titles = samples.group.map(
    (code, i) => `${sampleName(i)}, ${groupName(code)}${values ? `: ${readable(values[i])}` : ""}`,
  );
  const by = values ? shortened(names[feature], 60) : groups.kind;
  const label = `${samples.number.length} samples ${where}, coloured by ${by}; shapes are those of ${groups.kind}.`;
  const lines = feature === null ? [] : explained(feature)?.edges;
  const options = { ...manner, height, small, ring: values ? "var(--soft)" : null };
  const picture = scatter(width, ...points, colours, titles, axisNames, label, lines, shapes, options);
  return small
    ? picture
    : make("div", {}, ...sampleKeys(width, values ? [low, high] : null, names[feature], lines?.length), picture);
}

/** The key of shapes, with colours where these are the groups', too; that of values, and of lines. */
function sampleKeys(width, ends, name, hasLines) {
  const list = make("ul", { class: "legend" });
  legend(list, groups.names, ends ? groups.names.map(() => "var(--soft)") : groupColours, groupShapes);
  if (hasLines) {
    const style = { stroke: "var(--cut)", strokeWidth: 1.2 };
    const line = draw("line", { x1: 0, x2: 18, y1: 7, y2: 7, style });
    const swatch = draw("svg", { class: "shape", width: 18, height: 14, "aria-hidden": "true" }, line);
    list.append(make("li", {}, swatch, make("span", {}, "neighbours between which it differs most")));
  }
  return ends ? [list, valueKey(width, ...ends, name)] : [list];
}

const repaintSamples = pictured ? chart(byId("samples-chart"), (width) => samplesPicture(width)) : () => {};

/** Show the sentences and lists of the picture that is chosen, and hide those of others. */
function showPicture() {
  for (const part of byId("samples").querySelectorAll("[data-picture]"))
    part.hidden = part.dataset.picture !== pictured;
  repaintSamples();
  for (const tell of whenPictured) tell();
}

["across", "up"].forEach((id, place) => {
  const list = byId(id);
  if (!list) return;
  list.append(...embedding.eigenvectors.map((number, axis) => make("option", { value: axis }, String(number))));
  list.value = across[place];
  list.addEventListener("change", () => ((across[place] = Number(list.value)), showPicture()));
});

byId("picture")?.addEventListener("change", (event) => ((pictured = event.target.value), showPicture()));
if (byId("picture")) byId("picture").value = pictured;

/** The list of what samples can be coloured by: groups, the best features, and the chosen one wherever it ranks. */
function fillColours() {
  const list = byId("colour");
  if (!list) return;
  const places = Array.from({ length: Math.min(50, DATA.values.count) }, (_, i) => i);
  if (chosen !== null && chosen >= places.length && chosen < DATA.values.count) places.push(chosen);
  list.replaceChildren(
    make("option", { value: "" }, groups.names.length > 1 ? groups.kind : "one colour"),
    ...places.map((i) => make("option", { value: i }, `${i + 1}. ${shortened(names[i], 40)}`)),
  );
  list.value = chosen !== null && chosen < DATA.values.count ? String(chosen) : "";
}

byId("colour")?.addEventListener("change", (event) =>
  choose(event.target.value === "" ? chosen : Number(event.target.value)),
);

whenChosen.push(fillColours, repaintSamples);
fillColours();
showPicture();
