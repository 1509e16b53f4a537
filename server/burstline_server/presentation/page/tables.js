/* Tables that are sorted by a click on a column's head. */

const LONGEST_TABLE = 500;
const NATURAL = new Intl.Collator("en", { numeric: true });
const sorted = new Map();

/**
 * A table. Columns: {label, title, number, value: row => what is sorted by, cell: row => what is shown}; without `value`
 * a column is not sorted by. `key` names the table, so that it stays sorted when the page is drawn anew; `whose` distinguishes it
 * from others.
 * @param {(row: any) => string | null} rowClass
 */
function table(key, caption, whose, columns, rows, rowClass = () => null) {
  const body = element("tbody");
  const heads = columns.map((column, i) => head(column, () => sortBy(i)));
  const note = element("p", { class: "note", hidden: true });

  function sortBy(i) {
    const before = sorted.get(key);
    sorted.set(key, { column: i, down: before?.column === i ? !before.down : false });
    fill();
    say(`${caption}: sorted by ${columns[i].label}, ${sorted.get(key).down ? "largest" : "smallest"} first`);
  }

  function fill() {
    const order = sorted.get(key);
    const shown = order && columns[order.column]?.value ? inOrder(rows, columns[order.column].value, order.down) : rows;
    heads.forEach((cell, i) => {
      if (i === order?.column) cell.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    body.replaceChildren(...shown.slice(0, LONGEST_TABLE).map((row) => bodyRow(columns, row, rowClass(row))));
    note.hidden = shown.length <= LONGEST_TABLE;
    note.textContent = `The first ${LONGEST_TABLE} of ${shown.length} are shown; sort to see others.`;
  }

  fill();
  const whole = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, heads)),
    body,
  );
  return element(
    "div",
    { class: "wide", id: key, tabindex: 0, role: "region", "aria-label": `${caption} of ${whose}` },
    whole,
    note,
  );
}

function head(column, clicked) {
  const kind = column.number ? "number" : null;
  if (!column.value) return element("th", { scope: "col", class: kind, title: column.title }, column.label);
  return element(
    "th",
    { scope: "col", class: kind, title: column.title },
    element("button", { type: "button", class: "sort", click: clicked }, symbol(column.label)),
  );
}

function bodyRow(columns, row, kind) {
  const cells = columns.map((column, i) => {
    const name = i === 0 ? "th" : "td";
    return element(name, { scope: i === 0 ? "row" : null, class: column.number ? "number" : null }, column.cell(row));
  });
  return element("tr", { class: kind }, cells);
}

/** Rows by a value, unknown ones last either way. */
function inOrder(rows, value, down) {
  const known = (row) => value(row) !== null && value(row) !== undefined;
  const way = (x, y) =>
    typeof x === "number" && typeof y === "number" ? x - y : NATURAL.compare(String(x), String(y));
  const ordered = rows.filter(known).sort((a, b) => (down ? -1 : 1) * way(value(a), value(b)));
  return [...ordered, ...rows.filter((row) => !known(row))];
}
