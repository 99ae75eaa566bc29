/* The games inside the page, as arena/report/viewer packs them: a list of all, and blocks of their moves. */

import { unpackedGame } from "./ply.js";

/** @import { Look } from "./board.js" */
/** @import { PlayedGame, Points, Spelling } from "./ply.js" */

/**
 * The board of some rules: its picture, how moves are written, and the rules as `arena play` takes them.
 * @typedef {Spelling & {svg: string, rules: string}} Rules
 */

/**
 * What a page holds; `listed` and `blocks` are packed. The first game opens at `ply`.
 * @typedef {{listed: string, blocks: string[], atOnce: number, look: Look, boards: Rules[], ply: number}} Inside
 */

/**
 * A game of the list: `place` in it, `swing` in men, the number of its `board`.
 * @typedef {{place: number, id: string, white: string, black: string, about: string, opening: number, result: string,
 *   end: string, points: Points|null, plies: number, swing: number|null, error: string, board: number}} ListedGame
 */

const ORDERS = {
  surprise: (a, b) => (b.swing ?? -1) - (a.swing ?? -1) || a.place - b.place,
  opening: (a, b) => a.opening - b.opening || a.place - b.place,
  shortest: (a, b) => a.plies - b.plies || a.place - b.place,
};

export class Games {
  constructor(data, columns) {
    this.data = data;
    this.blocks = new Map();
    this.list = listOf(columns);
  }

  /** The games that a page holds. @param {Inside} data */
  static async of(data) {
    return new Games(data, await unpacked(data.listed));
  }

  /** The game at a place of the list. @returns {Promise<PlayedGame>} */
  async game(place) {
    const number = Math.floor(place / this.data.atOnce);
    if (!this.blocks.has(number)) this.blocks.set(number, unpacked(this.data.blocks[number]));
    const stored = (await this.blocks.get(number))[place % this.data.atOnce];
    return unpackedGame(stored, this.data.boards[this.list[place].board]);
  }
}

/** The list of games, from its columns. @returns {any[]} */
export function listOf(columns) {
  const names = Object.keys(columns);
  return columns.id.map((_, place) => ({ place, ...Object.fromEntries(names.map((name) => [name, columns[name][place]])) }));
}

/* The games of a form's choices, in its order; an empty choice is any. */
export function chosen(games, { player = "", opponent = "", result = "", end = "", order = "surprise" }) {
  return games
    .filter((game) => isBetween(game, player, opponent) && (!end || game.end === end) && hasResult(game, result, player))
    .sort(ORDERS[order]);
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function isBetween({ white, black }, player, opponent) {
  return [player, opponent].every((name) => !name || name === white || name === black);
}

function hasResult(game, result, player) {
  if (!result) return true;
  if (result === "won") return game.result === (game.white === player ? "white" : "black");
  if (result === "lost") return game.result === (game.white === player ? "black" : "white");
  return game.result === result;
}
