// The table of features: a click anywhere in a row chooses its feature.

const { stability: stabilities, group: copyGroups, sets: memberSets } = DATA.all_features;

/** Share of the refits that kept a feature; of columns that are mostly zero the page leaves out the last zeros. */
const stabilityOf = (place) => (place < stabilities.length ? stabilities[place] : 0);

/** The name as a button for the keyboard; it is whole, up to three lines in sight. */
function nameButton(place) {
  const inside = make("span", { class: "clamped" }, names[place]);
  const pressed = String(place === chosen);
  const onclick = () => choose(place);
  return make(
    "button",
    { type: "button", class: "choose", title: names[place], "aria-pressed": pressed, onclick },
    inside,
  );
}

const lined = (value) => readable(value, 4, true);

/** The score with its bar; a feature that the method does not order has none. */
function scoreCell(place) {
  const ends = scoreBar(place);
  const percent = (share) => `${(100 * share).toFixed(1)}%`;
  const style = ends && { marginLeft: percent(ends.from), width: percent(ends.to - ends.from) };
  const bar = ends ? [make("span", { class: ends.below ? "below" : null, style })] : [];
  return make(
    "div",
    { class: "scored" },
    make("span", { class: "bar", "aria-hidden": "true" }, ...bar),
    make("span", {}, lined(scores[place])),
  );
}

/** Names of the sets that hold each feature, where sets are known. */
function setsOfPlaces(sets) {
  const found = new Map();
  for (const [name, places] of Object.entries(sets))
    for (const place of places) found.set(place, [...(found.get(place) ?? []), name]);
  return found;
}

/** Columns that only some rankings have. */
function furtherColumns() {
  const percent = (share) => (share === null ? "–" : `${Math.round(100 * share)} %`);
  const further = [];
  if (stabilities) {
    const title = "Share of the refits on parts of the samples that kept the feature";
    further.push({ name: "stability", title, value: stabilityOf, text: percent, right: true, fallingFirst: true });
  }
  if (copyGroups?.some((number) => number > 0)) {
    const title = "Number of its group of near-copies";
    const value = (place) => copyGroups[place] || null;
    further.push({ name: "group", title, value, text: (number) => number ?? "", right: true });
  }
  if (memberSets) {
    const members = setsOfPlaces(memberSets);
    const value = (place) => members.get(place)?.join(", ") ?? null;
    further.push({ name: "in the sets", key: "sets", value, text: (told) => told ?? "", className: "sets" });
  }
  return further;
}

// -- the literature's value, behind a switch -------------------------------------------------------------------------

const nativeSwitch = make("input", { type: "checkbox", id: "native" });
const nativeSaid = make(
  "p",
  { class: "about", id: "native-said", hidden: true },
  `Scores are turned so that large is good for every method; the value in the literature of ${DATA.method} is ` +
    `${DATA.native_direction} for a good feature, and compares with values in papers.`,
);
nativeSwitch.addEventListener("change", () => {
  nativeSaid.hidden = !nativeSwitch.checked;
  table.refresh();
});

// -- the table -------------------------------------------------------------------------------------------------------

const narrow = matchMedia("screen and (max-width: 820px)");
const chosenHome = { card: byId("chosen"), column: byId("chosen").parentElement };

/** Whether the card of the chosen feature stands under its row. */
const chosenIsUnderRow = () => chosenHome.card.closest(".under-row") !== null;

/** Take the card out of the table, so that new rows do not take it away. */
function bringChosenHome() {
  if (!chosenIsUnderRow()) return;
  const row = chosenHome.card.closest(".under-row");
  chosenHome.column.append(chosenHome.card);
  row.remove();
}

/** On a narrow screen the card of a chosen feature opens under its row, elsewhere it stands beside the table. */
function placeChosen() {
  const line = narrow.matches && !onPaper.now && chosen !== null ? table?.painted.get(chosen) : undefined;
  const before = line?.getBoundingClientRect().top;
  bringChosenHome();
  if (!line) return;
  line.after(
    make("tr", { class: "under-row" }, make("td", { colspan: line.cells.length, headers: "" }, chosenHome.card)),
  );
  scrollBy(0, line.getBoundingClientRect().top - before); // the row that was clicked stays under the finger
}

let table = null; // the first painting asks for it
table = featureTable(byId("feature-table"), {
  rows: names.length,
  file: "ranking.csv",
  marked: (place) => kept.has(place),
  printed: selected,
  tools: [make("label", {}, nativeSwitch, "literature's value")],
  chooseRow: choose,
  beforePaint: bringChosenHome,
  afterPaint: () => (markChosen(), placeChosen()),
  columns: [
    { name: "rank", value: (place) => (place < DATA.n_ordered ? place + 1 : null), right: true },
    { name: "feature", value: (place) => names[place], cell: nameButton, searched: true },
    {
      name: "score",
      title: scaleOfBars,
      value: (place) => scores[place],
      cell: scoreCell,
      right: true,
      fallingFirst: true,
    },
    {
      name: "literature's value",
      title: `${DATA.native_direction} is good`,
      key: "native_score",
      value: (place) => natives[place],
      text: lined,
      right: true,
      shown: () => nativeSwitch.checked,
    },
    ...evidenceColumns(DATA.all_features).reverse(), // q first: it is what one decides by
    ...furtherColumns(),
    { name: "kept", value: (place) => (kept.has(place) ? 1 : 0), onlyInFile: true },
  ],
});
byId("feature-table").querySelector(".tools").after(nativeSaid);

/** Mark the row of the feature that the card shows, and the button of the one that was chosen. */
function markChosen() {
  if (!table) return;
  for (const [place, line] of table.painted) {
    line.classList.toggle("shown", place === shownPlace);
    line.querySelector(".choose").setAttribute("aria-pressed", String(place === chosen));
  }
}

whenChosen.push(markChosen, placeChosen);
narrow.addEventListener("change", placeChosen);
markChosen();

byId("save-table").addEventListener("click", () => table.save());
byId("copy-names").addEventListener("click", () => {
  const copied = DATA.cut ? selected.map((place) => names[place]) : names;
  if (!copied.length) return tellReader("no feature is kept");
  copyAndTell(copied.map((name) => `${name}\n`).join(""), copied.length > 1 ? `${copied.length} names` : "1 name");
});
