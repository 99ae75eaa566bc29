/* The list of games: which are shown, in which order. */

import { element, markCurrent, named } from "./element.js";
import { chosen } from "./games.js";
import { counted, grouped, resultText } from "./words.js";

/** @import { ListedGame } from "./games.js" */

const MOST_LISTED = 500; // games that the list shows at once

export class List {
  /**
   * `form` has the controls of the filter, `host` gets the list; `onopen` is called with a game that is chosen.
   * @param {ListedGame[]} games
   * @param {{form: HTMLFormElement, host: HTMLElement, count: HTMLElement}} parts
   * @param {(game: ListedGame) => void} onopen
   */
  constructor(games, { form, host, count }, onopen) {
    this.games = games;
    this.form = form;
    this.host = host;
    this.count = count;
    this.onopen = onopen;
    /** @type {ListedGame[]} */
    this.shown = [];
    /** @type {ListedGame|undefined} */
    this.current = undefined;
    const { player, opponent, end } = this.fields;
    for (const select of [player, opponent]) addOptions(select, games.flatMap(({ white, black }) => [white, black]));
    addOptions(end, games.map((game) => game.end));
    form.addEventListener("input", () => this.filter());
    form.addEventListener("reset", () => setTimeout(() => this.filter()));
    form.addEventListener("submit", (event) => event.preventDefault());
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
    this.shown = chosen(this.games, Object.fromEntries(new FormData(this.form)));
    this.host.replaceChildren(...this.shown.slice(0, MOST_LISTED).map((game) => this.row(game)));
    this.host.scrollTop = 0;
    this.mark(this.current);
    const [some, all] = [this.shown.length, this.games.length].map(grouped);
    const cut = this.shown.length > MOST_LISTED ? `, the first ${MOST_LISTED} listed` : "";
    this.count.textContent = `${some === all ? all : `${some} of ${all}`} games${cut}`;
  }

  row(game) {
    const { id, white, black, about, result, plies, end, swing } = game;
    const facts = [`Game ${id}`, about, counted(plies, "ply", "plies"), end, swing === null ? "" : `swing ${swing.toFixed(1)} men`];
    return element("li", {}, element("button.viewer-game", { "type": "button", "data-game": id, "onclick": () => this.onopen(game) },
      element("span.viewer-players", {}, named(white), " – ", named(black)), element("span.viewer-result", {}, resultText(result)),
      element("small", {}, facts.filter(Boolean).join(" · "))));
  }

  /* Mark the game that is open. */
  mark(game) {
    this.current = game;
    const buttons = [...this.host.querySelectorAll("button")];
    markCurrent(buttons, game && buttons.find((button) => button.dataset.game === game.id));
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

/* Add names to a list of choices, each once, in their order. */
function addOptions(select, names) {
  select.append(...[...new Set(names)].sort().map((name) => element("option", { value: name }, name)));
}
