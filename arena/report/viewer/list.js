/* The list of games: which are shown, in which order. */

import { element, markCurrent, named } from "./element.js";
import { chosen } from "./games.js";
import { grouped, resultText } from "./words.js";

/** @import { Games, ListedGame } from "./games.js" */

const AT_ONCE = 100; // games added to the list at once

export class List {
  /**
   * `form` has the controls of the filter, `host` gets the list; `onopen` is called with a game that is chosen.
   * @param {Games} games
   * @param {{form: HTMLFormElement, host: HTMLElement, more: HTMLElement, count: HTMLElement}} parts
   * @param {(game: ListedGame) => void} onopen
   */
  constructor(games, { form, host, more, count }, onopen) {
    this.games = games;
    this.form = form;
    this.host = host;
    this.more = more;
    this.count = count;
    this.onopen = onopen;
    /** @type {ListedGame[]} */
    this.shown = [];
    /** @type {ListedGame|undefined} */
    this.current = undefined;
    const { player, opponent, opening, end } = this.fields;
    for (const select of [player, opponent]) addOptions(select, games.players);
    const openings = [...new Set(games.list.map((game) => game.opening))].sort((a, b) => a - b);
    addOptions(opening, openings.map(String));
    addOptions(end, [...new Set(games.list.map((game) => game.end))]);
    form.addEventListener("input", () => this.filter());
    form.addEventListener("reset", () => setTimeout(() => this.filter()));
    form.addEventListener("submit", (event) => event.preventDefault());
    more.addEventListener("click", () => this.extend());
    this.filter();
  }

  /** @returns {any} */
  get fields() {
    return this.form.elements;
  }

  /* Show the games between two players only. */
  between(player, opponent) {
    this.form.reset();
    this.fields.player.value = player;
    this.fields.opponent.value = opponent;
    this.filter();
  }

  filter() {
    const { player, result } = this.fields;
    for (const option of result.querySelectorAll("[data-own]")) option.disabled = !player.value;
    if (result.selectedOptions[0].disabled) result.value = "";
    this.shown = chosen(this.games.list, Object.fromEntries(new FormData(this.form)));
    this.host.replaceChildren();
    this.host.scrollTop = 0;
    this.extend();
    const all = this.games.list.length;
    this.count.textContent = this.shown.length === all ? `${grouped(all)} games` : `${grouped(this.shown.length)} of ${grouped(all)} games`;
  }

  /* Add the next games to the list. */
  extend() {
    const first = this.host.childElementCount;
    for (const game of this.shown.slice(first, first + AT_ONCE)) this.host.append(this.row(game));
    this.more.hidden = this.host.childElementCount >= this.shown.length;
    this.mark(this.current);
  }

  /** @param {ListedGame} game */
  row(game) {
    const swing = game.swing === null ? "" : `swing ${game.swing.toFixed(1)} men`;
    return element("li", {}, element("button.viewer-game", { "type": "button", "data-game": game.number, "onclick": () => this.onopen(game) },
      gameLine(game, swing)));
  }

  /* Mark the game that is open. */
  mark(game) {
    this.current = game;
    const buttons = [...this.host.querySelectorAll("button")];
    markCurrent(buttons, game && buttons.find((button) => button.dataset.game === String(game.number)));
  }

  /* Mark the game that is open, and bring it into view in the list. */
  show(game) {
    this.mark(game);
    const [row, box] = [this.host.querySelector("[aria-current]"), this.host].map((each) => each?.getBoundingClientRect());
    if (row && (row.top < box.top || row.bottom > box.bottom)) this.host.scrollTop += row.top - box.top;
  }

  /* The game so many places further in the list, or undefined. */
  beside(game, step) {
    const place = this.shown.indexOf(game);
    return place < 0 ? this.shown[0] : this.shown[place + step];
  }
}

/* What a line of a list of games shows: the players, the result, and facts, of which `more` is the last. */
export function gameLine({ number, white, black, opening, result, plies, end }, more = "") {
  const facts = [`Game ${number}`, `opening ${opening}`, plies === 1 ? "1 ply" : `${plies} plies`, end, more].filter(Boolean).join(" · ");
  return [element("span.viewer-players", {}, named(white), " – ", named(black)),
    element("span.viewer-result", {}, resultText(result)), element("small", {}, facts)];
}

function addOptions(select, names) {
  select.append(...names.map((name) => element("option", { value: name }, name)));
}
