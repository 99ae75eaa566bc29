"""Makes the picture of the board in README.md: `python -m tools.play_picture play.png`."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.helpers.web_browser import opened
from tests.helpers.web_server import served

MOVES = ("31-26", "26x17", "37-31", "31-26", "26x17", "36-31", "31-26", "41-37")
"""A person's as White, which level 6 answers always alike."""
ANALYSED_SECONDS = 4
WIDTH, HEIGHT = 1200, 960
COLOURS = 128
"""Of the picture, so that it is small."""


def main(target: Path) -> None:
    """Play the moves on the page, have the position analysed, and draw the best line."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with served() as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        viewport = {"width": WIDTH, "height": HEIGHT}
        with opened(browser, server.page, viewport=viewport) as visitor:
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
            picture = Image.open(io.BytesIO(visitor.page.screenshot())).convert("RGB")
            picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
            visitor.page.uncheck("[data-part=analysis]")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
