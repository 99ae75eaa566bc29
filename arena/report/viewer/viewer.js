/* The games of a page: the list, the stage, and the page's address, such as #game=a45f86&ply=30 or #player=a&opponent=b;
   #player=a alone is the page of a player. */

import { Games } from "./games.js";
import { List } from "./list.js";
import { Stage } from "./stage.js";

/** @import { Inside } from "./games.js" */

const PAUSE = 200; // milliseconds without a change after which the address follows: browsers limit how often it may

class Viewer {
  /**
   * @param {HTMLElement} host
   * @param {Inside} data
   * @param {Games} games
   */
  constructor(host, data, games) {
    this.host = host;
    this.games = games;
    this.isQuiet = true; // while a game is shown that the reader did not ask for, the address stays as it is
    this.asked = 0;
    this.timer = 0;
    this.part(".viewer-body").hidden = false;
    this.part(".viewer-side").hidden = this.part(".viewer-games").hidden = games.list.length < 2;
    this.filters = /** @type {HTMLDetailsElement} */ (this.part(".viewer-filters"));
    this.filters.open = window.matchMedia("(min-width: 64rem)").matches;
    const parts = { form: host.querySelector("form"), host: this.part(".viewer-list"), count: this.part(".viewer-count") };
    this.list = new List(games.list, parts, (game) => this.open(game, 0, { go: true }));
    this.stage = new Stage(this.part(".viewer-stage"), data, {
      beside: (step) => {
        const game = this.list.beside(this.list.current, step);
        if (game) this.open(game, 0);
      },
      onply: (game, ply) => this.address(`#game=${game.id}&ply=${ply}`),
    });
  }

  /** @returns {HTMLElement} */
  part(selector) {
    return this.host.querySelector(selector);
  }

  /* Have the page's address follow. */
  address(hash) {
    clearTimeout(this.timer);
    if (this.isQuiet) return;
    const before = location.hash;
    this.timer = setTimeout(() => {
      // A link that was followed meanwhile is about to be heard of.
      if (location.hash === before) history.replaceState(null, "", hash);
    }, PAUSE);
  }

  /* Show a game; `go` brings the board into view, `unasked` leaves the address as it is. */
  async open(game, ply, { go = false, unasked = false } = {}) {
    this.asked += 1;
    const mine = this.asked;
    if (!this.list.shown.includes(game)) this.list.between("", "");
    this.list.show(game);
    const played = await this.games.game(game.place);
    if (mine !== this.asked) return;
    this.isQuiet = unasked;
    this.stage.open(game, played, ply);
    this.isQuiet = false;
    if (go) {
      this.part(".viewer-play").scrollIntoView({ block: "nearest" });
      this.part("[data-part=board]").focus({ preventScroll: true });
    }
  }

  /* Show what the address names; returns whether it names something of these games. */
  follow() {
    const words = new URLSearchParams(location.hash.slice(1));
    const [id, player, opponent] = [words.get("game"), words.get("player"), words.get("opponent")];
    if (id !== null) {
      const game = this.games.list.find((each) => each.id === id);
      if (game) this.open(game, Number.parseInt(words.get("ply"), 10) || 0, { go: true });
      else this.missing(`Game ${id} is not inside this page.`);
    } else if (opponent !== null) this.between(player || "", opponent);
    return id !== null || opponent !== null;
  }

  between(player, opponent) {
    this.missing("");
    this.list.between(player, opponent);
    this.filters.open = true;
    if (this.list.shown.length) this.open(this.list.shown[0], 0, { unasked: true });
    else this.missing("No game of these two is inside this page.");
    this.host.scrollIntoView();
  }

  missing(words) {
    const line = this.part(".viewer-missing");
    line.textContent = words;
    line.hidden = !words;
  }
}

async function showGames(host) {
  const data = JSON.parse(host.querySelector("[data-games]").textContent);
  const plain = host.querySelector(".viewer-plain");
  if (!("DecompressionStream" in window)) {
    plain.textContent = "This browser is too old to unpack the games: it has no DecompressionStream.";
    return;
  }
  const shown = new Viewer(host, data, await Games.of(data));
  plain.hidden = true;
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (link?.hash && link.hash === location.hash) shown.follow(); // a link to where the address is changes no address
  });
  window.addEventListener("hashchange", () => shown.follow());
  if (!shown.follow() && shown.list.shown.length) shown.open(shown.list.shown[0], data.ply, { unasked: true });
  host.dataset.ready = "yes";
}

const viewer = document.getElementById("viewer");
if (viewer) {
  showGames(viewer).catch((error) => {
    /** @type {HTMLElement} */
    const plain = viewer.querySelector(".viewer-plain");
    plain.hidden = false;
    plain.textContent = `The games cannot be shown: ${error.message}`;
  });
}
