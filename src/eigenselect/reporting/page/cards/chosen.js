// The card of the chosen feature; before any choice it shows the first kept one.

/** Rank, score and how sure it is, as pairs of a word and a text. */
function factsOf(place) {
  const all = DATA.all_features;
  const facts = [
    ["rank", place < DATA.n_ordered ? `${place + 1} of ${names.length}` : "not ordered"],
    ["score", readable(scores[place])],
  ];
  if (all.pvalue) facts.push(["p", probability(all.pvalue[place])]);
  if (all.qvalue) facts.push(["q", probability(all.qvalue[place])]);
  if (stabilities && stabilityOf(place) !== null)
    facts.push(["stability", `${Math.round(100 * stabilityOf(place))} %`]);
  facts.push([`literature's value (${DATA.native_direction} is good)`, readable(natives[place])]);
  if (DATA.cut) facts.push(["kept", kept.has(place) ? "✓ yes" : "no"]);
  if (copyGroups?.[place]) facts.push(["group of near-copies", String(copyGroups[place])]);
  return facts;
}

/** Values by group, from all samples where the summary has them. */
function valuesPart(place, width) {
  const shown = DATA.views.distributions.find(({ rank }) => rank === place + 1) ?? sampledDistribution(place);
  if (!shown) return [make("p", {}, `This page holds the values of the ${DATA.values.count} best features only.`)];
  const label = `${shortened(names[place], 60)} by ${groups.kind}.`;
  const heading = groups.names.length > 1 ? `Values by ${groups.kind}` : "Values";
  const picture = distribution(width, shown, groups.names, groupColours, label);
  return [
    make("h4", {}, heading),
    make("div", { class: "chart", "data-figure": "values", "data-of": names[place] }, picture),
  ];
}

/** The samples coloured by the feature: the same picture as further down, small and in sight. */
function samplesPart(place, width) {
  const values = valuesOf(place);
  if (!pictured || !values) return [];
  const wide = Math.min(width, 400);
  return [
    make("h4", {}, "Samples by this feature"),
    make(
      "div",
      { class: "chart", id: "chosen-samples", "data-figure": "samples-by", "data-of": names[place] },
      valueKey(wide, ...colourEnds(values), names[place]),
      samplesPicture(wide, { small: true, feature: place }),
    ),
  ];
}

const repaintChosen = chart(byId("chosen-card"), (width) => {
  const place = shownPlace;
  if (!names.length) return make("p", { class: "about" }, "There is no feature.");
  const facts = factsOf(place).map(([word, text]) => make("div", {}, make("dt", {}, word), make("dd", {}, text)));
  return make(
    "div",
    {},
    make("h3", { title: names[place], tabindex: names[place].length > 300 ? 0 : null }, names[place]),
    make("dl", { class: "chosen-facts" }, ...facts),
    ...valuesPart(place, width),
    ...samplesPart(place, width),
    ...copiesPart(place),
    ...extremePart(place),
    ...classPart(place),
    ...scalePart(place, width),
  );
});

/** Paint the card of another feature from its top, and say in one sentence which it is. */
function showChosen() {
  const inside = byId("chosen-card").contains(document.activeElement);
  repaintChosen();
  byId("chosen").scrollTop = 0;
  if (inside) byId("chosen").focus({ preventScroll: true }); // the button that was pressed is gone
  const rank = factsOf(shownPlace)[0][1];
  byId("chosen-said").textContent =
    `${shortened(names[shownPlace], 80)}, rank ${rank}, is shown as the chosen feature.`;
}

whenChosen.push(showChosen);
whenPictured.push(repaintChosen);
