/* The list of runs: those being played first, each with how far it is and who leads. */

import { element, named } from "../../report/viewer/element.js";
import { addressOf } from "./run_words.js";
import { get, newest } from "./server.js";

/** @import { RunDocument } from "./documents.js" */

const AGAIN = 5000; // milliseconds until the list is asked for again

/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
const latest = newest();

/* A bar that shows how far a run is. */
export function progressBar({ planned, games, complete }) {
  if (complete) return null;
  return element("progress", { "aria-label": "games played", "max": Math.max(planned, 1), "value": games });
}

async function refresh(host) {
  const isLatest = latest();
  clearTimeout(timer);
  const answer = await get("/api/runs", { quiet: Boolean(host.querySelector("h1")) }).catch(() => null);
  if (!isLatest()) return;
  if (answer) list(host, answer.runs);
  timer = setTimeout(() => refresh(host), AGAIN);
}

function list(host, runs) {
  const rows = runs.map(row);
  const none = element("p", {}, "There is no run in this folder yet: ", element("code", {}, "arena run"), " plays one.");
  const focus = document.activeElement?.closest(".watch-card")?.querySelector("a")?.hash;
  host.replaceChildren(element("h1", {}, "Runs"), rows.length ? element("ul.watch-runs", {}, rows) : none);
  if (focus) [...host.querySelectorAll("a")].find((link) => link.hash === focus)?.focus();
}

/** @param {RunDocument} run */
function row(run) {
  if (run.error) return element("li.card.watch-card", {}, element("h2", {}, run.run), element("p.small", {}, run.error));
  const live = run.playing ? element("span.watch-live", {}, "live") : null;
  const name = element("h2", {}, element("a", { href: addressOf(run.run) }, named(run.run)), live);
  const [leader] = run.standings;
  const leads = leader && element("p", {}, named(leader.player, "watch-leader"), ` ${leader.text.Elo || leader.text.score}`);
  return element("li.card.watch-card", {}, name, progressBar(run), element("p", {}, run.progress), leads, element("p.small", {}, run.about));
}

export const runsView = {
  show(host) {
    document.title = "Runs";
    if (!host.childElementCount) host.append(element("p.small", { role: "status" }, "The runs are being read …"));
    refresh(host);
  },
  hide() {
    latest();
    clearTimeout(timer);
  },
};
