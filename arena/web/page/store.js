/* The state of the page, in one place: what the server sent, and what the person looks at. Views show it and change it. */

/** @import { Findings, GameState, PositionDocument } from "./documents.js" */

export const store = {
  /* The game at the board, and when its clocks were received, by `performance.now()`. */
  /** @type {GameState|null} */
  game: null,
  received: 0,
  /* The ply of it that is looked at. */
  ply: 0,
  /* Whether its board was turned by hand. */
  isTurned: false,
  /* What analyses found, by `keyOf`. */
  /** @type {Map<string, Findings>} */
  findings: new Map(),

  /* The position that is set up, null for the usual one, and whether its board was turned by hand. */
  /** @type {PositionDocument|null} */
  position: null,
  isSetupTurned: false,
};
