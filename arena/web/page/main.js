/* The frame of the page: which view is shown.

   The address says it: `#/` and `#/game/ID` are the game, `#/runs` is the list of runs, `#/run/NAME` and
   `#/run/NAME/game/N`, with `/PLY` at that ply, are a run. A view is {show(host, ...parts), hide()}: `parts` are the
   texts between the slashes behind its name, decoded. `host` is its own, and stays as it is while the view is hidden. */

import { element, markCurrent } from "../../report/viewer/element.js";
import { gameView } from "./game_view.js";
import { runsView } from "./run_list.js";
import { runView } from "./run_view.js";
import { askOffer } from "./server.js";
import { store } from "./store.js";

const VIEWS = { game: gameView, runs: runsView, run: runView };
const USUAL = "game"; // the view of an address without one

function follow() {
  const words = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
  const name = words.shift() ?? USUAL;
  const view = VIEWS[name];
  if (!view) return location.replace("#/");
  if (store.view && store.view !== name) {
    VIEWS[store.view].hide();
    hostOf(store.view).hidden = true;
  }
  store.view = name;
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("nav a");
  markCurrent(links, [...links].find((link) => link.hash === (name === USUAL ? "#/" : "#/runs")), "page");
  const shown = hostOf(name);
  shown.hidden = false;
  return Promise.resolve(view.show(shown, ...words)).catch((error) => { if (error.status === undefined) throw error; });
}

function decoded(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** The element of a view. @returns {HTMLElement} */
function hostOf(name) {
  /** @type {HTMLElement|null} */
  const host = document.querySelector(`[data-view="${name}"]`);
  if (host) return host;
  const made = element("section", { "data-view": name });
  document.querySelector("main").append(made);
  return made;
}

window.addEventListener("hashchange", follow);
follow();
askOffer().then((offer) => { /** @type {HTMLElement} */ (document.querySelector("[data-runs]")).hidden = !offer.files; }, () => {});
