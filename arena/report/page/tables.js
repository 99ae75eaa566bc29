"use strict";

// Tables of class "data": a click on a header sorts, a box above long ones filters.

const LONG_TABLE = 12; // rows above which a table has a box to filter
const PREFIXES = { p: 1e-12, n: 1e-9, "µ": 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const BEYOND = 0.01; // how far "> 99.9" is above 99.9

/** The number that a cell sorts by; NaN where it has none.
 *
 * Knows "+12 ± 5", "−7 to +20" (its lower end), "1.23 k", "500 µs", "> 99.9 %", "1,234", "3.10 (2.84 to 3.41)"
 * and "12.5/20" (points of games: their share). */
function sortKey(text) {
  const plain = text.trim().replaceAll("−", "-").replace(/(\d),(?=\d{3})/g, "$1");
  const found = /^([<>]?)\s*([+-]?\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?(?:\s([pnµmkMGT])?s?(?=$|[\s,)]))?/.exec(plain);
  if (!found) return NaN;
  const [, bound, number, games, prefix] = found;
  const value = games === undefined ? Number(number) : Number(number) / Math.max(Number(games), 1);
  return value * (prefix ? PREFIXES[prefix] : 1) + (bound === ">" ? BEYOND : bound === "<" ? -BEYOND : 0);
}

/** Order of two cells: numbers before text, nothing last, whichever the direction. */
function compareCells(a, b, sign, asText) {
  const [p, q] = [a.trim(), b.trim()];
  if (!p || !q) return (p ? 0 : 1) - (q ? 0 : 1);
  const [x, y] = asText ? [NaN, NaN] : [sortKey(p), sortKey(q)];
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return sign * (Number.isNaN(x) ? p.localeCompare(q, undefined, { numeric: true }) : x - y);
}

function cellText(row, column) {
  return row.cells[column].textContent;
}

/** Sort a table by a column; again by the same column: the other way round. Numbers begin with the greatest. */
function sortTable(table, column) {
  const header = table.tHead.rows[0].cells[column];
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const asText = ["name", "word"].some((kind) => header.classList.contains(kind));
  const numbers = !asText && rows.some((row) => !Number.isNaN(sortKey(cellText(row, column))));
  const before = header.getAttribute("aria-sort");
  const first = numbers && header.textContent.trim() !== "#" ? "descending" : "ascending";
  const order = before ? (before === "ascending" ? "descending" : "ascending") : first;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  rows.sort((a, b) => compareCells(cellText(a, column), cellText(b, column), sign, asText));
  body.append(...rows);
}

/** Show the rows of a table that hold every word of a text; returns how many there are. */
function filterTable(table, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    const name = (row.querySelector(".name") ?? row).textContent.toLowerCase();
    row.hidden = !words.every((word) => name.includes(word));
    if (!row.hidden) shown += 1;
  }
  return shown;
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.title = "sort";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sortTable(table, column));
  });
}

function makeFilterable(table) {
  const box = document.createElement("input");
  const count = document.createElement("span");
  const line = document.createElement("p");
  box.type = "search";
  box.placeholder = "filter by name";
  box.setAttribute("aria-label", "show the rows whose name holds");
  count.setAttribute("role", "status");
  line.className = "filter";
  line.append(box, count);
  table.closest(".scroll").before(line);
  const total = table.tBodies[0].rows.length;
  box.addEventListener("input", () => {
    const shown = filterTable(table, box.value);
    count.textContent = shown < total ? `${shown} of ${total}` : "";
  });
}

for (const table of document.querySelectorAll("table.data")) {
  if (table.tBodies[0].rows.length > 1) makeSortable(table);
  if (table.tBodies[0].rows.length > LONG_TABLE) makeFilterable(table);
}
