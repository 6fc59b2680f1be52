// A table that sorts, searches, turns pages and can be taken away as csv.

const PAGE = 25;

/** What texts are sorted by, so that gene 9 comes before gene 10: several times faster than a collator's comparisons. */
const sortKey = (text) => text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(15, "0"));

/** Rows by the value of a column, null last in either direction, equal ones as they came. */
function sortedRows(rows, value, falling) {
  const sign = falling ? -1 : 1;
  const values = rows.map((row) => (typeof value(row) === "string" ? sortKey(value(row)) : value(row)));
  const places = Uint32Array.from(values, (_, i) => i);
  places.sort((a, b) => {
    const [one, other] = [values[a], values[b]];
    if (one === null || other === null) return (one === null) - (other === null) || a - b;
    return one < other ? -sign : one > other ? sign : a - b;
  });
  return places.map((place) => rows[place]);
}

/** Rows whose text has every word, in any order. */
function matchingRows(texts, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let row = 0; row < texts.length; row++) if (wanted.every((word) => texts[row].includes(word))) found.push(row);
  return found;
}

/** Rows with all columns and all digits that the page has. */
function csvOf(rows, columns) {
  const line = (cells) => cells.map((cell) => csvCell(cell === null ? "" : String(cell))).join(",");
  const lines = Array.from(rows, (row) => line(columns.map((column) => column.value(row))));
  return [line(columns.map((column) => column.key ?? column.name)), ...lines].join("\n") + "\n";
}

/** A cell of a row: what the column makes of it, or its value as text. */
function cellOf(column, row) {
  const inside = column.cell ? column.cell(row) : (column.text ?? readable)(column.value(row));
  return make("td", { class: [column.right ? "right" : "", column.className ?? ""].join(" ").trim() || null }, inside);
}

/**
 * @param rows number of rows; a column's `value(row)` gives its number or text, null last in either direction.
 * @param columns [{name, value, key?, text?, cell?, right?, title?, fallingFirst?, shown?, onlyInFile?}]; the one with
 *   `searched: true` is searched; `shown()` says whether a column is to be seen now; files have all of them.
 * @param marked whether a row is marked as kept; `printed` are the rows that go to paper, by default those in sight.
 * @param tools more elements for the line above the table; `chooseRow(row)` is called for a click anywhere in a row.
 * @param beforePaint, afterPaint called around every change of the rows.
 */
function featureTable(
  container,
  {
    rows,
    columns,
    file,
    marked = () => false,
    printed = [],
    tools = [],
    chooseRow = null,
    beforePaint = () => {},
    afterPaint = () => {},
  },
) {
  const state = { column: 0, falling: false, page: 0, order: Uint32Array.from({ length: rows }, (_, i) => i) };
  const searched = columns.find((column) => column.searched);
  const lower = Array.from({ length: rows }, (_, i) => searched.value(i).toLowerCase());
  const painted = new Map(); // the element of every row in sight
  const inSight = () => columns.filter((column) => !column.onlyInFile && (column.shown?.() ?? true));

  const search = make("input", {
    type: "search",
    placeholder: "Search features",
    "aria-label": "Search features",
    title: "Several words: names that have all of them",
    autocomplete: "off",
    spellcheck: "false",
  });
  const count = make("span", { class: "count", role: "status" });
  const [head, body] = [make("tr"), make("tbody")];
  const turn = (name, where) => make("button", { type: "button", onclick: () => turnTo(where()) }, name);
  const [first, back, next, last] = [
    turn("First", () => 0),
    turn("Previous", () => state.page - 1),
    turn("Next", () => state.page + 1),
    turn("Last", () => pages() - 1),
  ];
  const save = () => download(file, csvOf(state.order, columns), "text/csv;charset=utf-8");

  /** A button at its end stays focusable: the keyboard would lose its place. */
  function turnTo(page) {
    if (page < 0 || page >= pages()) return;
    state.page = page;
    paint();
  }

  const pages = () => Math.max(1, Math.ceil(state.order.length / PAGE));

  function arrange() {
    state.order = sortedRows(matchingRows(lower, search.value), columns[state.column].value, state.falling);
    state.page = 0;
    paint();
  }

  function sortBy(column) {
    state.falling = columns.indexOf(column) === state.column ? !state.falling : Boolean(column.fallingFirst);
    state.column = columns.indexOf(column);
    paintHead();
    arrange();
  }

  /** Name the columns in sight; the buttons stay the same, so that the keyboard keeps its place. */
  function paintHead() {
    for (const column of inSight()) {
      const button = make("button", { type: "button", class: "sort", title: column.title ?? null }, column.name);
      button.addEventListener("click", () => sortBy(column));
      column.head ??= make("th", { scope: "col", class: column.right ? "right" : null }, button);
      const sorted = columns.indexOf(column) === state.column;
      column.head.setAttribute("aria-sort", !sorted ? "none" : state.falling ? "descending" : "ascending");
    }
    const heads = inSight().map((column) => column.head);
    if (heads.length !== head.children.length) head.replaceChildren(...heads);
  }

  function rowOf(row) {
    const cells = inSight().map((column) => cellOf(column, row));
    const line = make("tr", { class: [chooseRow ? "row" : "", marked(row) ? "kept" : ""].join(" ").trim() }, ...cells);
    if (chooseRow) line.addEventListener("click", (event) => clicked(event) && chooseRow(row));
    painted.set(row, line);
    return line;
  }

  /** Whether a row was clicked: not a button inside it, and not the end of selecting its text. */
  const clicked = (event) => !event.target.closest("button, a, input") && getSelection().isCollapsed;

  function paint() {
    beforePaint();
    const start = state.page * PAGE;
    const turned = Array.from(state.order.slice(start, start + PAGE));
    painted.clear();
    body.replaceChildren(...(onPaper.now && printed.length ? printed : turned).map(rowOf));
    if (!painted.size)
      body.append(
        make(
          "tr",
          {},
          make("td", { colspan: inSight().length, class: "empty" }, "No feature has all these words in its name."),
        ),
      );
    const total = state.order.length;
    count.textContent = total ? `${start + 1} to ${start + turned.length} of ${total}` : "none";
    [first, back].forEach((button) => button.setAttribute("aria-disabled", state.page === 0));
    [next, last].forEach((button) => button.setAttribute("aria-disabled", state.page >= pages() - 1));
    afterPaint();
  }

  /** Turn to the page that a row is on, without the search if that hides it. */
  function show(row) {
    if (!state.order.includes(row)) {
      search.value = "";
      arrange();
    }
    const page = Math.floor(state.order.indexOf(row) / PAGE);
    if (page !== state.page) turnTo(page);
  }

  search.addEventListener("input", arrange);
  const button = make("button", { type: "button", onclick: save }, "Download csv");
  container.append(
    make("div", { class: "tools" }, search, ...tools, button, count),
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of features" },
      make("table", { class: chooseRow ? "marked" : null }, make("thead", {}, head), body),
    ),
    make("div", { class: "tools turning" }, first, back, next, last),
  );
  const refresh = () => (paintHead(), paint());
  whenPrinting.push(refresh);
  refresh();
  return { repaint: paint, refresh, show, save, painted };
}
