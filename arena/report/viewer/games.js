/* The games inside the page, as arena/report/viewer/games.py packs them: a list of all, and blocks of their moves. */

import { unpackedGame } from "./ply.js";

/** @import { Look } from "./board.js" */
/** @import { PlayedGame, Points, StoredGame } from "./ply.js" */

/**
 * What the page of a report holds; `listed` and `blocks` are packed.
 * @typedef {{listed: string, blocks: string[], atOnce: number, look: Look}} Inside
 */

/**
 * A game of the list: `place` in it, `number` in the run, `swing` in men.
 * @typedef {{place: number, number: number, white: string, black: string, opening: number, result: string, end: string,
 *   points: Points|null, plies: number, swing: number|null, error: string}} ListedGame
 */

/**
 * What is asked for, as a form has it: empty is any.
 * @typedef {{player?: string, opponent?: string, opening?: string, result?: string, end?: string, order?: string}} Wanted
 */

const ORDERS = {
  surprise: (a, b) => (b.swing ?? -1) - (a.swing ?? -1) || a.number - b.number,
  number: (a, b) => a.number - b.number,
  longest: (a, b) => b.plies - a.plies || a.number - b.number,
  shortest: (a, b) => a.plies - b.plies || a.number - b.number,
};

export class Games {
  /**
   * @param {Inside} data
   * @param {any} index
   */
  constructor(data, index) {
    this.data = data;
    /** @type {Map<number, Promise<StoredGame[]>>} */
    this.blocks = new Map();
    /** @type {string[]} */
    this.players = index.players;
    /** @type {ListedGame[]} */
    this.list = listOf(index);
  }

  /**
   * The games that a page holds.
   * @param {Inside} data
   */
  static async of(data) {
    return new Games(data, await unpacked(data.listed));
  }

  /**
   * The game at a place of the list.
   * @param {number} place
   * @returns {Promise<PlayedGame>}
   */
  async game(place) {
    const number = Math.floor(place / this.data.atOnce);
    if (!this.blocks.has(number)) this.blocks.set(number, unpacked(this.data.blocks[number]));
    return unpackedGame((await this.blocks.get(number))[place % this.data.atOnce]);
  }
}

/**
 * The list of games, from its columns.
 * @returns {ListedGame[]}
 */
export function listOf(index) {
  return index.game.map((number, place) => ({
    place, number,
    white: index.players[index.white[place]],
    black: index.players[index.black[place]],
    opening: index.opening[place],
    result: index.result[place],
    end: index.ends[index.end[place]],
    points: index.points[place] || null,
    plies: index.plies[place],
    swing: index.swing[place] === null ? null : index.swing[place] / 100,
    error: index.error[place] || "",
  }));
}

/**
 * The games that are wanted, in the order that is wanted.
 * @param {ListedGame[]} games
 * @param {Wanted} wanted
 */
export function chosen(games, { player = "", opponent = "", opening = "", result = "", end = "", order = "surprise" }) {
  const found = games.filter((game) =>
    seats(game, player, opponent) &&
    (!opening || String(game.opening) === opening) &&
    (!end || game.end === end) &&
    hasResult(game, result, player));
  return found.sort(ORDERS[order]);
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function seats(game, player, opponent) {
  if (player && opponent && player !== opponent) {
    return (game.white === player && game.black === opponent) || (game.white === opponent && game.black === player);
  }
  const either = player || opponent;
  return !either || game.white === either || game.black === either;
}

function hasResult(game, result, player) {
  if (!result) return true;
  if (result === "won") return game.result === (game.white === player ? "white" : "black");
  if (result === "lost") return game.result === (game.white === player ? "black" : "white");
  return game.result === result;
}
