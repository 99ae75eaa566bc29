/* Who plays White and who plays Black: a person or any player on offer, with seconds per move. */

import { element } from "../../report/viewer/element.js";
import { unbroken } from "../../report/viewer/words.js";
import { COLOURS, HUMAN, capital } from "./state.js";

/** @import { Colour, Offer, PlayerOffered } from "./documents.js" */

/**
 * The keys of the players, and the seconds per move that are set in place of their own; null leaves them.
 * @typedef {Record<Colour, string> & {seconds: Partial<Record<Colour, number|null>>}} Players
 */

const GROUPS = { levels: "Levels", published: "Published programs", strong: "Strong", simple: "Simple", yours: "Yours" };

export class Sides {
  /**
   * `onchange` is called with both when a person has changed them.
   * @param {HTMLElement} host
   * @param {Offer} offer
   * @param {(players: Players) => void} onchange
   */
  constructor(host, offer, onchange) {
    this.offer = offer;
    this.onchange = onchange;
    this.variant = "";
    this.shown = ""; // what `show` was last asked for
    this.rows = Object.fromEntries(COLOURS.map((colour) => [colour, this.row(colour)]));
    host.replaceChildren(...COLOURS.map((colour) => this.rows[colour].element));
  }

  /**
   * Show these players of a variant; without `seconds` each has its own limit. The same again: what a person changes
   * meanwhile stays.
   * @param {{variant: string} & Record<Colour, string> & Partial<Players>} players
   */
  show({ variant, white, black, seconds }) {
    const shown = JSON.stringify([variant, white, black, seconds]);
    if (shown === this.shown) return;
    Object.assign(this, { variant, shown });
    for (const [colour, key] of Object.entries({ white, black })) {
      const row = this.rows[colour];
      row.select.replaceChildren(...this.options(key));
      row.select.value = key;
      row.seconds.value = seconds?.[colour] ?? "";
      this.tell(row);
    }
  }

  /** @returns {Players} */
  get value() {
    const { white, black } = this.rows;
    const limit = ({ seconds, limits }) => (limits.hidden || !seconds.value ? null : Number(seconds.value));
    return { white: white.select.value, black: black.select.value, seconds: { white: limit(white), black: limit(black) } };
  }

  /** The player on offer with that key, none for a person. @returns {PlayerOffered|undefined} */
  player(chosen) {
    return this.offer.players.find(({ key }) => key === chosen);
  }

  row(colour) {
    const select = element("select", { "aria-label": capital(colour) });
    const seconds = element("input", { type: "number", min: 0, step: "any", inputmode: "decimal" });
    const limits = element("label.sides-seconds", { title: "In place of the player's own seconds or nodes; its depth stays" }, "Seconds per move ", seconds);
    const row = { select, seconds, limits };
    select.addEventListener("change", () => { seconds.value = ""; this.tell(row); this.onchange(this.value); });
    seconds.addEventListener("change", () => this.onchange(this.value));
    const disc = element(`span.disc.disc-${colour}`, { "aria-hidden": "true" });
    return { ...row, element: element("div.sides-row", {}, disc, element("span", {}, capital(colour)), select, limits) };
  }

  /* Players that can play the variant; `key` is among them whatever it is. */
  options(key) {
    const groups = Object.entries(GROUPS).map(([group, label]) => {
      const players = this.offer.players.filter((player) => player.group === group
        && (player.key === key || !player.variants || player.variants.includes(this.variant)));
      const options = players.map((player) => element("option", { value: player.key }, unbroken(`${player.name} – ${player.about}`)));
      return options.length ? element("optgroup", { label }, options) : "";
    });
    return [element("option", { value: HUMAN }, "A person"), ...groups];
  }

  tell({ select, seconds, limits }) {
    const limit = this.player(select.value)?.seconds;
    limits.hidden = typeof limit !== "number";
    seconds.placeholder = limit ? String(limit) : "no limit";
  }
}
