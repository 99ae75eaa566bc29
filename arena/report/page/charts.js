// Charts: what a mark says under the pointer or between arrow keys, and a chart as large as the window.

const tip = document.createElement("div");
const enlarged = document.createElement("dialog");
let home = null; // where the enlarged chart came from
let marked = null;

tip.className = "tip";
tip.setAttribute("role", "status");
tip.hidden = true;
document.body.append(tip);
enlarged.className = "enlarged";
enlarged.innerHTML = '<form method="dialog"><p></p><button>Close</button></form><div class="plot" tabindex="0"></div>';
document.body.append(enlarged);

/** The text of a mark; its <title> is taken away, so that the browser does not show it a second time. */
function tipText(mark) {
  const title = mark.querySelector("title");
  if (title) {
    mark.dataset.tip = title.textContent;
    title.remove();
  }
  return mark.dataset.tip ?? "";
}

/** Show what a mark says, above it if there is room. */
function showTip(mark) {
  hideTip();
  marked = mark;
  mark.classList.add("marked");
  (enlarged.open ? enlarged : document.body).append(tip);
  tip.textContent = tipText(mark);
  tip.hidden = false;
  placeTip();
}

function placeTip() {
  if (!marked) return;
  const at = marked.getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const above = at.top - height - 6;
  tip.style.left = `${Math.max(4, Math.min(at.left + at.width / 2 - width / 2, innerWidth - width - 4))}px`;
  tip.style.top = `${above > 4 ? above : Math.min(at.bottom + 6, innerHeight - height - 4)}px`;
}

function hideTip() {
  marked?.classList.remove("marked");
  marked = null;
  tip.hidden = true;
}

/** The next or previous mark of a chart becomes the marked one. */
function stepTip(plot, step) {
  const marks = [...plot.querySelectorAll(".tips rect")];
  if (!marks.length) return;
  const from = marks.indexOf(marked);
  const next = marks[from < 0 ? (step > 0 ? 0 : marks.length - 1) : (from + step + marks.length) % marks.length];
  next.scrollIntoView({ block: "nearest", inline: "nearest" });
  showTip(next);
}

/** Show a chart as large as its letters need to be read, in a dialog that scrolls. */
function enlarge(figure) {
  const svg = figure.querySelector(".plot svg");
  if (!svg || enlarged.open) return;
  hideTip();
  home = svg.parentElement;
  home.style.minHeight = `${home.offsetHeight}px`;
  enlarged.querySelector("p").textContent = svg.getAttribute("aria-label");
  enlarged.style.setProperty("--width", figure.style.getPropertyValue("--width"));
  enlarged.querySelector(".plot").append(svg);
  enlarged.showModal();
}

enlarged.addEventListener("close", () => {
  hideTip();
  home.append(enlarged.querySelector("svg"));
  home.style.minHeight = "";
});

enlarged.addEventListener("click", (event) => {
  if (event.target === enlarged) enlarged.close();
});

document.addEventListener("pointerover", (event) => {
  const mark = event.target instanceof Element ? event.target.closest(".tips rect") : null;
  if (mark) showTip(mark);
  else if (marked) hideTip();
});

document.addEventListener("scroll", placeTip, { capture: true, passive: true });

for (const figure of document.querySelectorAll("figure")) {
  /** @type {HTMLElement|null} */
  const plot = figure.querySelector(".plot");
  if (!plot) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "enlarge";
  button.textContent = "Enlarge";
  button.addEventListener("click", () => enlarge(figure));
  figure.querySelector("figcaption").append(" ", button);
  plot.tabIndex = 0;
  plot.addEventListener("click", () => {
    if (getSelection().isCollapsed) enlarge(figure);
  });
}

/** @type {NodeListOf<HTMLElement>} */
const plots = document.querySelectorAll(".plot");
for (const plot of plots) {
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || !plot.querySelector(".tips")) return;
    event.preventDefault();
    stepTip(plot, step);
  });
  plot.addEventListener("blur", hideTip);
}
