/* One run: live while it is played, its finished games, and one of these on the board. */

import { element, named } from "../../report/viewer/element.js";
import { FinishedGame, FinishedGames } from "./finished.js";
import { LiveBoards } from "./live_boards.js";
import { addressOf, encodedPath, gamesText, pathOf } from "./run_words.js";
import { get, hangUp, openSocket } from "./server.js";
import { Standings } from "./standings.js";

/** @import { BoardDocument, RunDocument } from "./documents.js" */

const AGAIN = 2000; // milliseconds until a lost connection is tried again

export class RunView {
  constructor(host, name) {
    this.name = name;
    this.wanted = false; // whether the view is shown, so that news are wanted
    /** @type {Promise<BoardDocument>|null} */
    this.asked = null;
    /** @type {WebSocket|null} */
    this.socket = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    /** @type {LiveBoards|null} */
    this.grid = null;
    /** @type {FinishedGame|null} */
    this.stage = null;
    this.about = element("p.small");
    this.links = element("p.watch-links");
    this.lost = element("p.viewer-missing", { role: "status", hidden: true });
    this.live = element("div");
    this.badge = element("span.watch-live", { hidden: true }, "live");
    this.overview = element("div", {}, element("p.small", {}, element("a", { href: "#/runs" }, "All runs")),
      element("h1", {}, named(name), this.badge), this.about, this.lost, this.live);
    this.one = element("div", { hidden: true }, element("p.small", {}, element("a", { href: addressOf(name) }, "Back to ", named(name))));
    host.replaceChildren(this.overview, this.one);
    this.standings = new Standings(this.live);
    this.boards = element("div");
    this.charts = element("details.card.watch-charts", { ontoggle: () => { if (this.charts.open) this.draw(); } }, element("summary", {}, "Charts"), element("div"));
    this.live.append(this.boards, this.links, this.charts);
    this.finished = new FinishedGames(this.live, name);
    this.live.hidden = true;
    this.fail("The run is being read …");
  }

  /* The board of the run's rules, asked for once. */
  board() {
    this.asked ||= get(pathOf(this.name, "board"), { quiet: true })
      .catch((error) => { this.asked = null; this.fail(error.message); throw error; });
    return this.asked;
  }

  async game(number, ply) {
    this.overview.hidden = true;
    this.one.hidden = false;
    document.title = `Game ${number} of ${this.name}`;
    const board = await this.board().catch(() => null);
    if (!board) return;
    this.stage ||= new FinishedGame(this.one, this.name, board);
    this.stage.open(number, ply);
  }

  all() {
    this.one.hidden = true;
    this.overview.hidden = false;
    document.title = this.name;
    if (this.stage) this.stage.close();
  }

  connect() {
    this.wanted = true;
    if (this.socket) return;
    const socket = openSocket(pathOf(this.name, "events"));
    this.socket = socket;
    socket.onmessage = ({ data }) => { if (this.socket === socket) this.take(JSON.parse(data)); };
    socket.onclose = ({ code }) => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (!this.wanted) return;
      if (code !== 4404) this.fail("The connection is lost; it is tried again.");
      this.timer = setTimeout(() => this.reconnect(), AGAIN);
    };
  }

  /* Connect again, with the new token of a server that was restarted if this page gets it. */
  async reconnect() {
    const error = await get(pathOf(this.name), { quiet: true }).then(() => null, (wrong) => wrong);
    if (!this.wanted) return;
    if (error && error.status === 403) this.fail("The server was restarted, and this page belongs to the one before. Open the address that arena printed.");
    else this.connect();
  }

  disconnect() {
    this.wanted = false;
    clearTimeout(this.timer);
    const { socket } = this;
    this.socket = null;
    if (socket) hangUp(socket);
    if (this.grid) this.grid.stop();
    if (this.stage) this.stage.close();
  }

  async take(message) {
    if (message.type === "failure") return this.fail(message.error);
    if (message.type === "run") return this.show(message);
    const board = await this.board().catch(() => null);
    if (!board) return undefined;
    this.grid ||= new LiveBoards(this.boards, board);
    return this.grid.take(message);
  }

  /** @param {RunDocument} run */
  show(run) {
    this.fail(run.error || "");
    this.live.hidden = false;
    this.badge.hidden = !run.playing;
    const title = run.name === run.run ? "" : `${run.name}, `;
    this.about.textContent = `${title}${run.about}`;
    this.standings.show(run);
    this.finished.know(run.standings.map(({ player }) => player), run.games);
    const report = `/runs/${encodedPath(run.run)}/report.html`;
    this.links.replaceChildren(...(run.reported ? [element("a", { href: report, target: "_blank", rel: "noopener" }, "The run's report")] : []));
    this.charts.hidden = !run.games;
  }

  fail(words) {
    this.lost.textContent = words;
    this.lost.hidden = !words;
  }

  async draw() {
    const host = this.charts.lastChild;
    if (!host.childElementCount) host.replaceChildren(element("p.small", { role: "status" }, "The charts are being drawn, slowly, as the run goes first …"));
    try {
      const { games, charts, error } = await get(pathOf(this.name, "charts"), { quiet: true });
      const said = charts.length ? `Of ${gamesText(games)}.` : "";
      host.replaceChildren(element("p.small", {}, [said, error].filter(Boolean).join(" ")), element("div.watch-pictures", {}, charts.map(({ caption, path }) =>
        element("figure", {}, element("img", { src: `${path}?games=${games}`, alt: caption, loading: "lazy" }), element("figcaption.small", {}, caption)))));
    } catch (error) {
      host.replaceChildren(element("p.small", { role: "status" }, error.message));
    }
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
