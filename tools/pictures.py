"""Makes the two pictures of README.md, in a Chromium.

python -m tools.pictures experiment reports/quickstart/report.html reports/showcase/experiment.png
python -m tools.pictures board reports/showcase/play.png
"""

from __future__ import annotations

import io
import re
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.helpers.web_browser import opened
from tests.helpers.web_server import served

COLOURS = 128
"""Of a picture, so that it is small."""

EXPERIMENT = Path("configs/quickstart.yaml")
WIDTH, HEIGHT = 1300, 1020
ARROWS = {
    "seed": ("#b5541c", ".facts", "4 random plies", "above"),
    "openings": ("#0b7a4b", ".facts", "20 openings", "below"),
    "players": ("#1f6fb2", "#standings-table tbody", "", "beside"),
}
"""What each key makes: the arrow's colour, the report's element, its words or all of it, and the way there."""
ANNOTATE = """([yaml, arrows]) => {
  document.head.insertAdjacentHTML('beforeend', `<style>
    body { margin: 0 0 0 450px; background: white }
    .facts { margin: 20px 0 36px }
    #file { position: absolute; left: 20px; top: 24px; width: 385px; margin: 0; padding: 12px 14px;
      font-size: 14px; line-height: 1.6; border: 1px solid #c8ccd4; border-radius: 8px; background: #f6f7f9 }
    #file div { white-space: pre-wrap; padding-left: 4ch; text-indent: -4ch; width: fit-content }
    #arrows { position: absolute; inset: 0; width: 100%; height: 100% }
  </style>`);
  const file = document.createElement('pre'), blocks = {};
  file.id = 'file';
  document.body.append(file);
  for (const line of yaml.split('\\n')) {
    const row = document.createElement('div'), key = line.match(/^(\\w+):/)?.[1];
    row.textContent = line;
    file.append(row);
    if (key) {
      blocks[key] = document.createRange();
      blocks[key].setStartBefore(row);
    }
    Object.values(blocks).at(-1).setEndAfter(row);
  }
  const around = (range) => {
    const boxes = [...range.getClientRects()].filter((box) => box.width);
    const least = (side) => Math.min(...boxes.map((box) => box[side]));
    const most = (side) => Math.max(...boxes.map((box) => box[side]));
    const [left, right] = [least('left') - 4, most('right') + 4];
    const [top, bottom] = [least('top') - 1, most('bottom') + 1];
    return { left, top, right, bottom, x: (left + right) / 2, y: (top + bottom) / 2 };
  };
  const target = (selector, words) => {
    const element = document.querySelector(selector), range = document.createRange();
    range.selectNode(element);
    if (words) {
      const text = element.firstChild, start = text.data.indexOf(words);
      range.setStart(text, start);
      range.setEnd(text, start + words.length);
    }
    return around(range);
  };
  let shapes = '';
  for (const [key, [colour, selector, words, way]] of Object.entries(arrows)) {
    const from = around(blocks[key]), to = target(selector, words);
    const lane = way === 'above' ? to.top - 16 : to.bottom + 42;
    const route = way === 'beside'
      ? `H${(from.right + to.left) / 2} V${to.y} H${to.left - 5}`
      : `H428 V${lane} H${to.x} V${way === 'above' ? to.top - 5 : to.bottom + 5}`;
    for (const box of [from, to])
      shapes += `<rect x="${box.left}" y="${box.top}" width="${box.right - box.left}" rx="4"` +
        ` height="${box.bottom - box.top}" fill="${colour}18" stroke="${colour}" stroke-width="1.5"/>`;
    shapes += `<path d="M${from.right},${from.y} ${route}" fill="none" stroke="${colour}" stroke-width="2.5"` +
      ` stroke-linejoin="round" marker-end="url(#${key})"/><marker id="${key}" orient="auto" markerWidth="5"` +
      ` markerHeight="5" refX="3" refY="2.5"><path d="M0,0 L5,2.5 L0,5 z" fill="${colour}"/></marker>`;
  }
  document.body.insertAdjacentHTML('beforeend', `<svg id="arrows">${shapes}</svg>`);
}"""

MOVES = ("31-26", "26x17", "37-31", "31-26", "26x17", "36-31", "31-26", "41-37")
"""A person's as White, which level 6 answers always alike."""
ANALYSED_SECONDS = 4


def experiment(browser: Browser, report: Path, target: Path) -> None:
    """Draw an arrow from keys of the configuration to the part of its report that each makes."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto(report.resolve().as_uri())
    lines = [re.sub(r"\s*#.*", "", line) for line in EXPERIMENT.read_text(encoding="utf-8").splitlines()]
    page.evaluate(ANNOTATE, ["\n".join(line for line in lines if line), ARROWS])
    _save(page, target)


def board(browser: Browser, target: Path) -> None:
    """Play the moves on the page, have the position analysed, and draw the best line."""
    with served() as server, opened(browser, server.page, viewport={"width": 1200, "height": 960}) as visitor:
        visitor.begin("international", "human", "level-6")
        for place, text in enumerate(MOVES):
            visitor.page.wait_for_selector(".game-yours")
            move = next(move for move in visitor.state["legal"] if move["text"] == text)
            visitor.click(*move["paths"][0])
            visitor.played(2 * place + 2)
        visitor.page.wait_for_selector(".game-yours")
        visitor.page.check("[data-part=analysis]")
        visitor.page.wait_for_timeout(1000 * ANALYSED_SECONDS)
        visitor.page.click(".best-lines li >> nth=0 >> .line-move >> nth=0")
        visitor.page.mouse.move(5, 5)
        visitor.page.evaluate("document.activeElement.blur(), scrollTo(0, 0)")
        _save(visitor.page, target)
        visitor.page.uncheck("[data-part=analysis]")


def _save(page: Page, target: Path) -> None:
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


def main(name: str, *paths: str) -> None:
    """Make a picture: `board` at a path, or `experiment` of the report at the first path."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        if name == "board":
            board(browser, Path(paths[0]))
        else:
            experiment(browser, *map(Path, paths))
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
