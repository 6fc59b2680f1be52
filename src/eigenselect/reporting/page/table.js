// A table that sorts, searches, turns pages and can be taken away as csv.

const PAGE = 25;

/** What texts are sorted by, so that gene 9 comes before gene 10: several times faster than a collator's comparisons. */
const sortKey = (text) => text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(15, "0"));

/**
 * @param rows number of rows; a column's `value(row)` gives its number or text, null last in either direction.
 * @param columns [{name, value, text?, cell?, right?}]; the one with `searched: true` is searched.
 */
function featureTable(container, { rows, columns, file, marked = () => false }) {
  const state = {
    column: 0,
    falling: false,
    words: "",
    page: 0,
    order: Uint32Array.from({ length: rows }, (_, i) => i),
  };
  const searched = columns.find((column) => column.searched);
  const lower = Array.from({ length: rows }, (_, i) => searched.value(i).toLowerCase());

  const search = make("input", {
    type: "search",
    placeholder: "Search features",
    "aria-label": "Search features",
    autocomplete: "off",
    spellcheck: "false",
  });
  const count = make("span", { class: "count", role: "status" });
  const heads = columns.map((column, i) => {
    const button = make("button", { type: "button", class: "sort", onclick: () => sortBy(i) }, column.name);
    return make(
      "th",
      { scope: "col", class: column.right ? "right" : null, "aria-sort": "none" },
      column.plain ? column.name : button,
    );
  });
  const body = make("tbody");
  const turn = (name, where) => make("button", { type: "button", onclick: () => turnTo(where()) }, name);
  const [first, back, next, last] = [
    turn("First", () => 0),
    turn("Previous", () => state.page - 1),
    turn("Next", () => state.page + 1),
    turn("Last", () => pages() - 1),
  ];
  const save = make(
    "button",
    { type: "button", onclick: () => download(file, asCsv(), "text/csv;charset=utf-8") },
    "Download csv",
  );

  /** A button at its end stays focusable: the keyboard would lose its place. */
  function turnTo(page) {
    if (page < 0 || page >= pages()) return;
    state.page = page;
    paint();
  }

  const pages = () => Math.max(1, Math.ceil(state.order.length / PAGE));

  function arrange() {
    const { value } = columns[state.column];
    const found = [];
    for (let row = 0; row < rows; row++) if (!state.words || lower[row].includes(state.words)) found.push(row);
    const sign = state.falling ? -1 : 1;
    const values = found.map((row) => (typeof value(row) === "string" ? sortKey(value(row)) : value(row)));
    const places = Uint32Array.from(values, (_, i) => i);
    places.sort((a, b) => {
      const [one, other] = [values[a], values[b]];
      if (one === null || other === null) return (one === null) - (other === null) || a - b;
      return one < other ? -sign : one > other ? sign : a - b;
    });
    state.order = places.map((place) => found[place]);
    state.page = 0;
    paint();
  }

  function sortBy(column) {
    state.falling = column === state.column ? !state.falling : Boolean(columns[column].fallingFirst);
    state.column = column;
    arrange();
  }

  function paint() {
    heads.forEach((head, i) =>
      head.setAttribute("aria-sort", i !== state.column ? "none" : state.falling ? "descending" : "ascending"),
    );
    const start = state.page * PAGE;
    const shown = Array.from(state.order.slice(start, start + PAGE));
    body.replaceChildren(
      ...shown.map((row) =>
        make("tr", { class: marked(row) ? "kept" : null }, ...columns.map((column) => cellOf(column, row))),
      ),
    );
    if (!shown.length)
      body.append(
        make(
          "tr",
          {},
          make("td", { colspan: columns.length, class: "empty" }, "No feature has these letters in its name."),
        ),
      );
    const total = state.order.length;
    count.textContent = total ? `${start + 1} to ${start + shown.length} of ${total}` : "none";
    [first, back].forEach((button) => button.setAttribute("aria-disabled", state.page === 0));
    [next, last].forEach((button) => button.setAttribute("aria-disabled", state.page >= pages() - 1));
  }

  function cellOf(column, row) {
    const inside = column.cell ? column.cell(row) : (column.text ?? readable)(column.value(row));
    return make(
      "td",
      { class: [column.right ? "right" : "", column.className ?? ""].join(" ").trim() || null },
      inside,
    );
  }

  /** The rows as they are sorted and searched now, with all digits that the page has. */
  function asCsv() {
    const kept = columns.filter((column) => !column.plain);
    const line = (cells) => cells.map((cell) => csvCell(cell === null ? "" : String(cell))).join(",");
    return (
      [
        line(kept.map((c) => c.key ?? c.name)),
        ...Array.from(state.order, (row) => line(kept.map((c) => c.value(row)))),
      ].join("\n") + "\n"
    );
  }

  search.addEventListener("input", () => ((state.words = search.value.trim().toLowerCase()), arrange()));
  container.append(
    make("div", { class: "tools" }, search, save, count),
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Features" },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body),
    ),
    make("div", { class: "tools", style: { margin: "10px 0 0" } }, first, back, next, last),
  );
  paint();
  return { repaint: paint };
}
