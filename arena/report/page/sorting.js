/* What the cells of a table sort by. */

const PREFIXES = { p: 1e-12, n: 1e-9, "µ": 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const BEYOND = 0.01; // how far "> 99.9" is above 99.9

/** The number that a cell sorts by; NaN where it has none.
 *
 * Knows "+12 ± 5", "−7 to +20" (its lower end), "1.23 k", "500 µs", "> 99.9 %", "1,234", "3.10 (2.84 to 3.41)"
 * and "12.5/20" (points of games: their share). */
export function sortKey(text) {
  const plain = text.trim().replaceAll("−", "-").replace(/(\d),(?=\d{3})/g, "$1");
  const found = /^([<>]?)\s*([+-]?\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?(?:\s([pnµmkMGT])?s?(?=$|[\s,)]))?/.exec(plain);
  if (!found) return NaN;
  const [, bound, number, games, prefix] = found;
  const value = games === undefined ? Number(number) : Number(number) / Math.max(Number(games), 1);
  return value * (prefix ? PREFIXES[prefix] : 1) + (bound === ">" ? BEYOND : bound === "<" ? -BEYOND : 0);
}

/** Order of two cells: numbers before text, nothing last, whichever the direction. */
export function compareCells(a, b, sign, asText) {
  const [p, q] = [a.trim(), b.trim()];
  if (!p || !q) return (p ? 0 : 1) - (q ? 0 : 1);
  const [x, y] = asText ? [NaN, NaN] : [sortKey(p), sortKey(q)];
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return sign * (Number.isNaN(x) ? p.localeCompare(q, undefined, { numeric: true }) : x - y);
}
