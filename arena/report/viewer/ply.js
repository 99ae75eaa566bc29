/* The plies of a game, packed in a page or sent by the server (arena/web/documents.py): what movers saw is from White's
   view. */

/**
 * What a move changed on the board, numbers of squares; a pass has the origin 0.
 * @typedef {{origin: number, target: number, captured: number[]}} Squares
 */

/**
 * What a player saw before its move, from White's view: `value` in men, or `own` in its own unit if no man's worth is
 * known, or `plies_to_win` plies. A report has depth and nodes, a game at the board all in words, and the line that it
 * expects.
 * @typedef {{value: number|null, own?: number|null, plies_to_win: number, depth?: number, nodes?: number, text?: string,
 *   sentence?: string, facts?: string, line?: Step[]}} Note
 */

/**
 * A move of a line, and the squares on which its piece stands in turn.
 * @typedef {{text: string, path: number[]}} Step
 */

/**
 * Each colour's points, by rules under which they decide.
 * @typedef {Record<"white"|"black", number>} Points
 */

/**
 * A position, a letter of `wWbB.` a square, and the colour to move.
 * @typedef {{pieces: string, turn: "white"|"black"}} Position
 */

/**
 * A move that was played, the position after it, and what its mover saw; `white` says who moved. An error has its
 * mark, `?!`, `?` or `??` by a judge's scores, `−½` or `−1` by endgame tables, and a better move with its path.
 * @typedef {Position & {text: string, squares: Squares, path?: number[], points?: Points|null,
 *   crowned: boolean, white: boolean, seconds: number|null, note: Note|null,
 *   mark?: string, better?: string, betterPath?: number[], comment?: string}} Ply
 */

/**
 * A game from its start; `fault` says why there are no further moves, if any could not be played. Of a PDN are its tags,
 * and its comment before the first move.
 * @typedef {{start: Position, moves: Ply[], fault: string, tags: Record<string, string>|null, comment: string}} PlayedGame
 */

/**
 * How moves are written: the name of each square, and what stands between the squares of a capture.
 * @typedef {{names: string[], capture: string}} Spelling
 */

/**
 * A ply on the graph: score in men or plies until a win, both from White's view.
 * @typedef {{white: boolean, score: number|null, wins: number|null}} Point
 */

/**
 * A move that was played as a ply, from the position before it: `path` are the squares on which its piece stands in turn.
 * @param {Position} before
 * @param {any} move
 * @returns {any}
 */
export function played(before, move) {
  const { path, captured, crowned } = move;
  const white = before.turn === "white";
  const pieces = [...before.pieces];
  const [origin, target] = [path[0] ?? 0, path.at(-1) ?? 0];
  if (origin) {
    const piece = crowned ? (white ? "W" : "B") : pieces[origin - 1];
    for (const number of [origin, ...captured]) pieces[number - 1] = ".";
    pieces[target - 1] = piece;
  }
  return { ...move, squares: { origin, target, captured }, pieces: pieces.join(""), turn: white ? "black" : "white", white };
}

/** A game that was packed, its moves as its board writes them. @returns {PlayedGame} */
export function unpackedGame(stored, spelling) {
  const kings = new Set(stored.crowned);
  const start = { pieces: stored.board, turn: stored.turn };
  const moves = [];
  for (const [ply, path] of stored.paths.entries()) {
    const captured = stored.captured[ply];
    const [mark, better, betterPath] = stored.errors?.[ply + 1] ?? [];
    const move = played(moves.at(-1) ?? start, {
      text: moveText(path, captured, spelling), path, captured, crowned: kings.has(ply + 1), mark, better, betterPath,
      comment: stored.comments?.[ply + 1] ?? "", seconds: stored.time[ply],
      note: { value: stored.score[ply], own: stored.own[ply], plies_to_win: stored.wins[ply] ?? 0, depth: stored.depth[ply], nodes: stored.nodes[ply] },
    });
    const setup = stored.setups?.[ply + 1];
    moves.push(setup ? { ...move, pieces: setup[0], turn: setup[1] } : move);
  }
  return { start, moves, fault: stored.fault, tags: stored.tags ?? null, comment: stored.comments?.[0] ?? "" };
}

/* A move as PDN writes it. */
function moveText(path, captured, { names, capture }) {
  return path.length ? path.map((number) => names[number - 1]).join(captured.length ? capture : "-") : "pass";
}

/** What a mover saw, as a point of the graph; nothing seen is a point that is not drawn. @returns {Point} */
export function pointOf(white, note = null) {
  return { white, score: note?.plies_to_win ? null : note?.value ?? null, wins: note?.plies_to_win || null };
}

/* What a mover saw, from its own view; null where it saw nothing of the kind. */
export function seenBy({ white, note }) {
  const signed = (value) => (value ? (white ? value : -value) : value ?? null);
  return { men: signed(note?.value), own: signed(note?.own), wins: signed(note?.plies_to_win || null) };
}
