// Tables of class "data": a click on a header sorts.

import { compareCells } from "./sorting.js";

/** The cell of a row; its number is in `data-sort`. */
function cellOf(row, column) {
  const cell = row.cells[column];
  return { text: cell.textContent.trim(), value: "sort" in cell.dataset ? Number(cell.dataset.sort) : null };
}

/** Sort a table by a column; again by the same column: the other way round. Numbers begin with the greatest. */
function sortTable(table, column) {
  const header = table.tHead.rows[0].cells[column];
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, cell: cellOf(row, column) }));
  const before = header.getAttribute("aria-sort");
  const first = rows.some(({ cell }) => cell.value !== null) && !header.classList.contains("rank") ? "descending" : "ascending";
  const order = before ? (before === "ascending" ? "descending" : "ascending") : first;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", order);
  rows.sort((a, b) => compareCells(a.cell, b.cell, order === "ascending" ? 1 : -1));
  body.append(...rows.map(({ row }) => row));
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

/** @type {NodeListOf<HTMLTableElement>} */
const tables = document.querySelectorAll("table.data");
for (const table of tables) {
  if (table.tBodies[0].rows.length > 1) makeSortable(table);
}
