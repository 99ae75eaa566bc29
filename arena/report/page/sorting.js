/* The order of a table's rows. */

/**
 * What a cell shows, and the number that it sorts by, if it has one.
 * @typedef {{text: string, value: number|null}} Cell
 */

/**
 * The order of two cells: numbers before text, nothing last, whichever the direction; `sign` is 1 or -1.
 * @param {Cell} a
 * @param {Cell} b
 * @param {number} sign
 */
export function compareCells(a, b, sign) {
  if (!a.text || !b.text) return (a.text ? 0 : 1) - (b.text ? 0 : 1);
  if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1;
  return sign * (a.value === null ? a.text.localeCompare(b.text, undefined, { numeric: true }) : a.value - b.value);
}
