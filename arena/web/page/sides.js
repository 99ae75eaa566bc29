/* Who plays White and who plays Black: a person, a level, or any other player on offer, with seconds per move. */

import { element } from "../../report/viewer/element.js";
import { unbroken } from "../../report/viewer/words.js";

/** @import { Colour, Offer } from "./documents.js" */

/**
 * The keys of the players, and the seconds per move that are set in place of their own; null leaves them.
 * @typedef {Record<Colour, string> & {seconds: Partial<Record<Colour, number|null>>}} Players
 */

export const HUMAN = "human";
/** Where the slider of levels begins, as in `cis300`. */
const FIRST_LEVEL = 3;
const GROUPS = { strong: "Strong", published: "Published programs", simple: "Simple", yours: "Yours" };

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
    this.levels = offer.players.filter(({ group }) => group === "levels");
    this.rows = { white: this.row("white"), black: this.row("black") };
    host.replaceChildren(this.rows.white.element, this.rows.black.element);
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
    for (const [colour, key] of [["white", white], ["black", black]]) {
      const row = this.rows[colour];
      const level = this.levels.findIndex((player) => player.key === key);
      row.select.replaceChildren(...this.options(key));
      if (level >= 0) row.slider.value = level + 1;
      row.select.value = level >= 0 ? "level" : key;
      const limit = seconds?.[colour];
      row.seconds.value = limit && limit !== this.player(row)?.seconds ? limit : "";
      this.tell(row);
    }
  }

  /** @returns {Players} */
  get value() {
    const { white, black } = this.rows;
    return { white: this.key(white), black: this.key(black), seconds: { white: this.limit(white), black: this.limit(black) } };
  }

  key({ select, slider }) {
    return select.value === "level" ? this.levels[Number(slider.value) - 1].key : select.value;
  }

  player(row) {
    const chosen = this.key(row);
    return this.offer.players.find(({ key }) => key === chosen);
  }

  limit({ seconds, limits }) {
    return limits.hidden || !seconds.value ? null : Number(seconds.value);
  }

  row(colour) {
    const words = colour === "white" ? "White" : "Black";
    const select = element("select", { "aria-label": words });
    const slider = element("input", { "type": "range", "min": 1, "max": Math.max(1, this.levels.length), "step": 1, "value": FIRST_LEVEL, "aria-label": `Level of ${words}` });
    const number = element("output");
    const levels = element("label.sides-level", {}, "Level ", number, slider);
    const about = element("p.small");
    const seconds = element("input", { type: "number", min: 0, step: "any", inputmode: "decimal" });
    const limits = element("label.sides-seconds", { title: "In place of the player's own seconds or nodes; its depth stays" }, "Seconds per move ", seconds);
    const row = { select, slider, number, levels, about, seconds, limits };
    select.addEventListener("change", () => { seconds.value = ""; this.tell(row); this.onchange(this.value); });
    slider.addEventListener("input", () => this.tell(row));
    for (const field of [slider, seconds]) field.addEventListener("change", () => this.onchange(this.value));
    row.element = element("div.sides-row", {}, element(`span.disc.disc-${colour}`, { "aria-hidden": "true" }),
      element("span", {}, words), select, levels, about, limits);
    return row;
  }

  /* Players that can play the variant; `key` is among them whatever it is. */
  options(key) {
    const option = (value, text) => element("option", { value }, unbroken(text));
    const can = ({ variants, key: own }) => own === key || !variants || variants.includes(this.variant);
    const groups = Object.entries(GROUPS).map(([group, label]) => {
      const players = this.offer.players.filter((player) => player.group === group && can(player));
      return players.length ? element("optgroup", { label }, players.map((player) => option(player.key, `${player.name} – ${player.about}`))) : null;
    });
    const known = key === HUMAN || this.offer.players.some((player) => player.key === key);
    const levels = this.levels.some(can) ? option("level", `Level 1 to ${this.levels.length}`) : null;
    return [option(HUMAN, "A person"), levels, known ? null : option(key, key), ...groups].filter(Boolean);
  }

  tell(row) {
    const { select, slider, number, levels, about, seconds, limits } = row;
    levels.hidden = select.value !== "level";
    number.textContent = slider.value;
    slider.setAttribute("aria-valuetext", `Level ${slider.value}`);
    const player = this.player(row);
    about.textContent = unbroken((player && player.about) || "");
    about.hidden = !about.textContent;
    limits.hidden = typeof player?.seconds !== "number";
    seconds.placeholder = player?.seconds ? String(player.seconds) : "no limit";
  }
}
