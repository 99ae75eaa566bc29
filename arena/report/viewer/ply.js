/* The plies of a game as a page shows them. This is the one place where a score changes its view: documents have it
   from the mover's view, and so has what is said of a move; curves have it from White's. */

/**
 * What a move changed on the board, numbers of squares; a pass has the origin 0.
 * @typedef {{origin: number, target: number, captured: number[]}} Squares
 */

/**
 * What a player saw, from its own view: men, or its own unit if no man's worth is known, or plies until a win is certain.
 * @typedef {{score: number|null, own: number|null, wins: number|null}} Seen
 */

/**
 * A position, a letter of `wWbB.` a square, and the colour to move.
 * @typedef {{pieces: string, turn: "W"|"B"}} Position
 */

/**
 * A position of a game and, but for the first, the move that led to it: `white` says who moved.
 * @typedef {Position & {move: Squares|null, text?: string, white?: boolean, depth?: number, nodes?: number, seconds?: number|null} & Partial<Seen>} Ply
 */

/**
 * A game as arena/report/viewer/games.py and arena/web/kept.py write it: columns have a value a ply. Scores are in
 * hundredths of a man, times in microseconds.
 * @typedef {{board: string, turn: "W"|"B", steps: string, fault: string, score: (number|null)[], own: (number|null)[],
 *   wins: (number|null)[], time: (number|null)[], depth: number[], nodes: number[]}} StoredGame
 */

/**
 * A ply on the graph: score in men or plies until a win, both from White's view.
 * @typedef {{white: boolean, score: number|null, wins: number|null}} Point
 */

/**
 * The positions of a stored game.
 * @param {StoredGame} stored
 * @returns {Ply[]}
 */
export function plies(stored) {
  const pieces = [...stored.board];
  let white = stored.turn === "W";
  /** @type {Ply[]} */
  const found = [{ pieces: stored.board, turn: stored.turn, move: null }];
  const steps = stored.steps ? stored.steps.split(" ") : [];
  steps.forEach((step, ply) => {
    const { text, move, crowned } = stepOf(step);
    if (move.origin) {
      const piece = crowned || pieces[move.origin - 1];
      for (const number of [move.origin, ...move.captured]) pieces[number - 1] = ".";
      pieces[move.target - 1] = piece;
    }
    found.push({
      pieces: pieces.join(""), turn: white ? "B" : "W", text, white, move,
      score: scaled(stored.score[ply], 100), own: stored.own[ply], wins: stored.wins[ply],
      depth: stored.depth[ply], nodes: stored.nodes[ply], seconds: scaled(stored.time[ply], 1e6),
    });
    white = !white;
  });
  return found;
}

/**
 * What a player of that colour saw, as a point of the graph; nothing seen is a point that is not drawn.
 * @param {boolean} white
 * @param {Partial<Seen>} [seen]
 * @returns {Point}
 */
export function pointOf(white, { score = null, wins = null } = {}) {
  const sign = white ? 1 : -1;
  return { white, score: score === null ? null : sign * score, wins: wins === null ? null : sign * wins };
}

/* The squares of a move's text, without captured ones. */
export function numbersOf(text) {
  return (text.match(/\d+/g) || []).map(Number);
}

/* A step of arena/report/viewer/replay.py: "11x18=W/15". */
function stepOf(step) {
  const [, text, crowned, taken] = /^([^=/]+)(?:=(.))?(?:\/(.+))?$/.exec(step);
  const numbers = numbersOf(text);
  const captured = taken ? taken.split(",").map(Number) : [];
  return { text, crowned, move: { origin: numbers.at(0) ?? 0, target: numbers.at(-1) ?? 0, captured } };
}

function scaled(value, unit) {
  return value === null ? null : value / unit;
}
