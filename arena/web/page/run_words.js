/* A run in words, and the addresses of what it has. */

import { grouped } from "../../report/viewer/words.js";

/** @import { Incident, RunSummary, Standing, Test } from "./documents.js" */

/**
 * `+123 ± 45`, of a standing.
 * @param {Standing} standing
 */
export function eloText({ elo, elo_low: low, elo_high: high }) {
  if (elo === null || elo === undefined) return "";
  const error = low === null || high === null ? 0 : Math.round((high - low) / 2);
  return signedText(elo) + (error > 0 ? `\u00a0±\u00a0${error}` : "");
}

function signedText(value) {
  const whole = Math.round(value);
  return whole === 0 ? "0" : `${whole > 0 ? "+" : "−"}${Math.abs(whole)}`;
}

export function gamesText(number) {
  return `${grouped(number)}\u00a0${number === 1 ? "game" : "games"}`;
}

export function percentText(share) {
  return `${(100 * share).toFixed(1)}\u00a0%`;
}

/* A span of seconds in its two largest units: `3 h 20 min`. */
export function spanText(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}\u00a0s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}\u00a0min${whole < 600 ? ` ${whole % 60}\u00a0s` : ""}`;
  if (whole < 86400) return `${Math.floor(whole / 3600)}\u00a0h ${Math.floor((whole % 3600) / 60)}\u00a0min`;
  return `${Math.floor(whole / 86400)}\u00a0d ${Math.floor((whole % 86400) / 3600)}\u00a0h`;
}

export function rateText(rate) {
  return rate >= 1 ? `${Number(rate.toPrecision(3))}\u00a0games/s` : `${Number((60 * rate).toPrecision(3))}\u00a0games/min`;
}

/**
 * How far a run is.
 * @param {RunSummary} run
 */
export function farText(run) {
  if (run.complete) return `complete, ${gamesText(run.games)}`;
  if (run.format === "free") return `${gamesText(run.games)} at the board`;
  const planned = `${grouped(run.games)} of ${run.exact ? "" : "at most "}${gamesText(run.planned)}`;
  if (run.playing === null) return `${planned}, perhaps being played elsewhere`;
  if (!run.playing) return `${planned}, no process is playing it`;
  const pace = run.rate ? `, ${rateText(run.rate)}` : "";
  const left = run.seconds_left === null ? "" : `, ${run.exact ? "" : "at most "}${spanText(run.seconds_left)} left`;
  return `${planned}${pace}${left}`;
}

export function dateText(text) {
  return text ? `${text.slice(0, 10).replaceAll("-", "\u2011")} ${text.slice(11, 16)}\u00a0UTC` : "";
}

/**
 * How a sequential test stands.
 * @param {Test} test
 */
export function testText({ llr, lower, upper, pairs, verdict }) {
  const shown = (value) => value.toFixed(2).replace("-", "−");
  const decided = verdict === "continue" ? "" : `, ${verdict} accepted`;
  return `SPRT: LLR ${shown(llr)} of ${shown(lower)} (H0) to ${shown(upper)} (H1), ${pairs} ${pairs === 1 ? "pair" : "pairs"}${decided}`;
}

/**
 * What went wrong, behind the name of the player.
 * @param {Incident} incident
 */
export function incidentText({ games, termination, first, error }) {
  return ` lost ${gamesText(games)} by ${termination.replaceAll("_", " ")}, first game ${first}${error ? `: ${error}` : ""}`;
}

/* The address of the view of a run, or of one of its games. */
export function addressOf(name, ...parts) {
  return ["#/run", encodeURIComponent(name), ...parts].join("/");
}

/* The path of something of a run on the server. */
export function pathOf(name, ...parts) {
  return ["/api/runs", encodedPath(name), ...parts].join("/");
}

/* The name of a run in a path. */
export function encodedPath(name) {
  return name.split("/").map(encodeURIComponent).join("/");
}
