/* One run: live while it is played, its finished games, and one of these on the board. */

import { element, named } from "../../report/viewer/element.js";
import { FinishedGame, FinishedGames } from "./finished.js";
import { addressOf, encodedPath, pathOf } from "./run_words.js";
import { askOffer, get } from "./server.js";
import { standingsOf } from "./standings.js";

/** @import { RunDocument } from "./documents.js" */

const AGAIN = 2000; // milliseconds until the run is read again

export class RunView {
  constructor(host, name) {
    this.name = name;
    this.wanted = false; // whether the view is shown, so that news are wanted
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    /** @type {FinishedGame|null} */
    this.finishedGame = null;
    this.about = element("p.small");
    this.links = element("p.watch-links");
    this.lost = element("p.viewer-missing", { role: "status", hidden: true });
    this.live = element("div");
    this.badge = element("span.watch-live", { hidden: true }, "live");
    this.overview = element("div", {}, element("p.small", {}, element("a", { href: "#/runs" }, "All runs")),
      element("h1", {}, named(name), this.badge), this.about, this.lost, this.live);
    this.gamePart = element("div", { hidden: true }, element("p.small", {}, element("a", { href: addressOf(name) }, "Back to ", named(name))));
    host.replaceChildren(this.overview, this.gamePart);
    this.standings = element("div");
    this.live.append(this.standings, this.links);
    this.finished = new FinishedGames(this.live, name);
    this.live.hidden = true;
    this.fail("The run is being read …");
  }

  game(number, ply) {
    this.overview.hidden = true;
    this.gamePart.hidden = false;
    document.title = `Game ${number} of ${this.name}`;
    this.finishedGame ||= new FinishedGame(this.gamePart, this.name);
    this.finishedGame.open(number, ply);
  }

  all() {
    this.gamePart.hidden = true;
    this.overview.hidden = false;
    document.title = this.name;
    if (this.finishedGame) this.finishedGame.close();
  }

  connect() {
    this.wanted = true;
    clearTimeout(this.timer);
    this.read();
  }

  /* Read the run, again and again while it is shown. */
  async read() {
    try {
      const [run, { files }] = await Promise.all([get(pathOf(this.name), { quiet: true }), askOffer()]);
      this.show(run, files);
    } catch (error) {
      if (error.status === undefined) throw error;
      this.fail(error.message);
    }
    clearTimeout(this.timer);
    if (this.wanted) this.timer = setTimeout(() => this.read(), AGAIN);
  }

  disconnect() {
    this.wanted = false;
    clearTimeout(this.timer);
    if (this.finishedGame) this.finishedGame.close();
  }

  /**
   * @param {RunDocument} run
   * @param {string} files
   */
  show(run, files) {
    this.fail("");
    this.live.hidden = false;
    this.badge.hidden = !run.playing;
    const title = run.name === run.run ? "" : `${run.name}, `;
    this.about.textContent = `${title}${run.about}`;
    this.standings.replaceChildren(...standingsOf(run));
    this.finished.know(run.games);
    const report = `${files}${encodedPath(run.run)}/report.html`;
    this.links.replaceChildren(...(run.reported ? [element("a", { href: report, target: "_blank", rel: "noopener" }, "The run's report")] : []));
  }

  fail(words) {
    this.lost.textContent = words;
    this.lost.hidden = !words;
  }
}

let shown = null;
let isHere = false; // whether the view of a run is the one that is shown

document.addEventListener("visibilitychange", () => {
  if (!isHere || !shown) return;
  if (document.hidden) shown.disconnect();
  else shown.connect();
});

export const runView = {
  show(host, name = "", what = "", number = "", ply = "0") {
    if (!name) { location.replace("#/runs"); return; }
    if (shown && shown.name !== name) shown.disconnect();
    if (!shown || shown.name !== name) shown = new RunView(host, name);
    isHere = true;
    shown.connect();
    if (what === "game" && number) shown.game(number, parseInt(ply, 10) || 0);
    else shown.all();
  },
  hide() {
    isHere = false;
    if (shown) shown.disconnect();
  },
};
