"use strict";

/* Questions, and what to do when a game cannot be held by this window. */
(function (arena) {
  const { element } = arena;

  /* Ask; a promise of whether the answer is yes. */
  arena.ask = (parts, question, yes = "Yes", no = "No") => new Promise((resolve) => {
    const { asking } = parts;
    parts.question.textContent = question;
    parts.yes.textContent = yes;
    parts.no.textContent = no;
    asking.returnValue = "no";
    asking.addEventListener("close", () => resolve(asking.returnValue === "yes"), { once: true });
    asking.showModal();
  });

  /* Have one of a list picked, [[value, words], ...], the last one at first; a promise of its value, or null. */
  arena.pick = (parts, question, list) => new Promise((resolve) => {
    const { picking, picked } = parts;
    parts.which.textContent = question;
    picked.replaceChildren(...list.map(([value, words]) => element("option", { value, ondblclick: () => picking.close("yes") }, words)));
    picked.selectedIndex = list.length - 1;
    picking.returnValue = "no";
    picking.addEventListener("close", () => resolve(picking.returnValue === "yes" ? picked.value : null), { once: true });
    picking.showModal();
    picked.selectedOptions[0].scrollIntoView({ block: "nearest" });
  });

  /* Say in place of the game what happened to it, with what can be done: [[words, action], ...]; no words hide it. */
  arena.lost = ({ lost }, words, actions = []) => {
    lost.hidden = !words;
    if (!words) return;
    lost.replaceChildren(element("p", {}, words), element("div.game-after", {},
      actions.map(([text, action], place) => element(place ? "button" : "button.main", { type: "button", onclick: action }, text))));
  };

  /* Have a text saved as a file by the browser. */
  arena.saveAs = (name, text) => {
    const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    element("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };

  /* Copy a text of an input; what to say about it. */
  arena.copied = async (input) => {
    input.select();
    try {
      await navigator.clipboard.writeText(input.value);
      return "Copied.";
    } catch {
      return document.execCommand("copy") ? "Copied." : "Press Ctrl+C to copy.";
    }
  };
})((window.arena = window.arena || {}));
