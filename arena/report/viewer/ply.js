/* The plies of a game, as `turn_document` of arena/web/documents.py has them: what movers saw is from White's view. */

/**
 * What a move changed on the board, numbers of squares; a pass has the origin 0.
 * @typedef {{origin: number, target: number, captured: number[]}} Squares
 */

/**
 * What a player saw before its move, from White's view: `value` in men, or `own` in its own unit if no man's worth is
 * known, or `plies_to_win` plies. A report has depth and nodes, a game at the board a text, from the player's own view,
 * and the line that it expects.
 * @typedef {{value: number|null, own: number|null, plies_to_win: number, depth?: number, nodes?: number, text?: string,
 *   line?: Step[]}} Note
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
 * mark, `?!`, `?` or `??`, and a better move with its path.
 * @typedef {Position & {text: string, squares: Squares, path?: number[], points?: Points|null,
 *   crowned: boolean, white: boolean, seconds: number|null, note: Note|null,
 *   mark?: string, better?: string, betterPath?: number[]}} Ply
 */

/**
 * A game from its start; `fault` says why there are no further moves, if any could not be played.
 * @typedef {{start: Position, moves: Ply[], fault: string}} PlayedGame
 */

/**
 * A ply on the graph: score in men or plies until a win, both from White's view.
 * @typedef {{white: boolean, score: number|null, wins: number|null}} Point
 */

/** A game that was packed. @returns {PlayedGame} */
export function unpackedGame(stored) {
  const pieces = [...stored.board];
  const isWhiteFirst = stored.turn === "W";
  const kings = new Set(stored.crowned);
  const moves = stored.paths.map((path, ply) => {
    const captured = stored.captured[ply];
    const [origin, target] = [path[0] ?? 0, path.at(-1) ?? 0];
    const white = isWhiteFirst === (ply % 2 === 0);
    const crowned = kings.has(ply + 1);
    if (origin) {
      const piece = crowned ? (white ? "W" : "B") : pieces[origin - 1];
      for (const number of [origin, ...captured]) pieces[number - 1] = ".";
      pieces[target - 1] = piece;
    }
    const [mark, better, betterPath] = stored.errors?.[ply + 1] ?? [];
    return {
      text: moveText(path, captured), mark, better, betterPath, squares: { origin, target, captured }, pieces: pieces.join(""), turn: white ? "black" : "white", crowned, white,
      seconds: stored.time[ply],
      note: { value: stored.score[ply], own: stored.own[ply], plies_to_win: stored.wins[ply] ?? 0, depth: stored.depth[ply], nodes: stored.nodes[ply] },
    };
  });
  return { start: { pieces: stored.board, turn: isWhiteFirst ? "white" : "black" }, moves, fault: stored.fault };
}

/* A move as PDN writes it. */
function moveText(path, captured) {
  return path.length ? path.join(captured.length ? "x" : "-") : "pass";
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
