"""A person at the page of a local server, in a real browser: by mouse, finger and keyboard."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import arena

SECONDS = 120
"""For anything that is waited for: rules may have to be compiled."""


class Visitor:
    """Who has a window of the page open, and what is seen and done there."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        page.goto(address)
        page.wait_for_selector(".board-pieces use")

    def begin(self, variant: str, white: str, black: str, fen: str = "", **more: Any) -> None:
        """Begin a game by the address of one that was asked for."""
        body = {"variant": variant, "white": white, "black": black, **({"fen": fen} if fen else {}), **more}
        begun = self.call("web/page/server.js", "request", "/api/games", body)
        self.page.evaluate("id => { location.hash = `#/game/${id}`; }", begun["game"])
        loaded(self.page, "web/page/state.js")
        self.page.wait_for_function("id => tested['web/page/state.js'].store.game?.game === id", arg=begun["game"])
        self.page.wait_for_selector("[data-mode=game]")
        self.page.wait_for_selector(f".board-squares [data-square='{len(self.state['start']['pieces'])}']")

    def call(self, module: str, function: str, *values: Any) -> Any:
        """What a function of one of the page's modules returns."""
        loaded(self.page, module)
        return self.page.evaluate(
            "([module, name, values]) => tested[module][name](...values)", [module, function, values]
        )

    @property
    def state(self) -> dict[str, Any]:
        """The game as the page has it."""
        loaded(self.page, "web/page/state.js")
        return dict(self.page.evaluate("tested['web/page/state.js'].store.game"))

    @property
    def pieces(self) -> dict[int, str]:
        """What is drawn on the board: the symbol of a piece by the number of its square."""
        uses = "uses => uses.map(use => [+use.dataset.square, use.getAttribute('href')])"
        return dict(self.page.eval_on_selector_all(".board-pieces use", uses))

    @property
    def moves(self) -> list[str]:
        """The moves in the list, without why a side passes."""
        texts = self.page.locator(".game .viewer-moves button").all_inner_texts()
        return [text.removesuffix(" (no move)") for text in texts]

    def signs(self, kind: str) -> int:
        """How many squares have a sign of a kind."""
        return int(self.page.locator(f".sign-{kind}").count())

    def headline(self, text: str) -> None:
        """Wait until the status says so."""
        self.page.locator("[data-part=headline]").filter(has_text=re.compile(f"^{re.escape(text)}$")).wait_for()

    def played(self, count: int) -> None:
        """Wait until so many moves are in the list."""
        self.page.wait_for_selector(f".game .viewer-moves button >> nth={count - 1}")

    def at(self, number: int) -> tuple[float, float]:
        """The middle of a square in the window."""
        box = self.page.locator(f".board-squares [data-square='{number}']").bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def click(self, *numbers: int) -> None:
        """Click squares one after another."""
        for number in numbers:
            self.page.mouse.click(*self.at(number))

    def tap(self, *numbers: int) -> None:
        """Touch squares one after another."""
        for number in numbers:
            self.page.touchscreen.tap(*self.at(number))

    def drag(self, *numbers: int) -> None:
        """Drag a piece from a square to the next ones, dropping it on each."""
        for origin, target in pairwise(numbers):
            self.page.mouse.move(*self.at(origin))
            self.page.mouse.down()
            self.page.mouse.move(*self.at(target), steps=4)
            self.page.mouse.up()

    def keys(self, *numbers: int) -> None:
        """Go to squares by the arrow keys and pick each."""
        board = self.page.locator("[data-part=board]")
        for number in numbers:
            x, y = self.at(number)
            for _ in range(40):
                here = int(str(board.get_attribute("aria-activedescendant")).removeprefix("cell-"))
                if here == number:
                    break
                at_x, at_y = self.at(here)
                if abs(at_y - y) > 2:
                    board.press("ArrowDown" if at_y < y else "ArrowUp")
                else:
                    board.press("ArrowRight" if at_x < x else "ArrowLeft")
            board.press("Enter")

    def play_on(self, how: Sequence[Callable[..., None]], choose: int = 0, most: int = 150) -> None:
        """Play a legal move whenever it is a person's turn, by each of `how` in turn, until the game is over."""
        for place in range(most):
            self.page.wait_for_selector(".game-yours, .game-ended")
            state = self.state
            if state["outcome"]:
                return
            move = state["legal"][choose * (len(state["legal"]) - 1)]
            if not move["paths"][0]:
                self.page.click("[data-action=pass]")
            else:
                how[place % len(how)](*move["paths"][0])
            self.played(len(state["moves"]) + 1)
        raise AssertionError(f"no end after {most} moves")


def loaded(page: Any, module: str) -> None:
    """Have what a module of the page exports as `tested[module]`, the same that the page itself uses."""
    page.evaluate(
        """module => new Promise((resolve, reject) => {
          window.tested ||= {};
          if (tested[module]) return resolve();
          const own = document.querySelector("script[type=module][src]");
          const more = document.createElement("script");
          Object.assign(more, { type: "module", nonce: own.nonce, onerror: reject });
          more.textContent = `import * as found from "${own.src.replace("web/page/main.js", module)}";
            tested["${module}"] = found;
            window.dispatchEvent(new Event("tested"));`;
          window.addEventListener("tested", resolve, { once: true });
          document.head.append(more);
        })""",
        module,
    )


@contextmanager
def page_of(browser: Any, *, refused: bool = False, **options: Any) -> Iterator[Any]:
    """A page in a window of its own; nothing may go wrong in it, but for requests that are `refused`."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    wrong: list[str] = []
    page.on(
        "console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: wrong.append(str(error.stack)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    yield page
    context.close()
    lost = ("Failed to load resource", "WebSocket connection to ")
    assert [line for line in wrong if not (refused and line.startswith(lost))] == []


@contextmanager
def opened(browser: Any, address: str, *, refused: bool = False, **options: Any) -> Iterator[Visitor]:
    """The page of a server; nothing is wider than its window."""
    settings = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | options
    with page_of(browser, refused=refused, **settings) as page:
        yield Visitor(page, address)
        assert page.evaluate("document.documentElement.scrollWidth") == settings["viewport"]["width"]


def symbols(variant: str, fen: str) -> dict[int, str]:
    """What is to be drawn of a position."""
    names = {"w": "white-man", "W": "white-king", "b": "black-man", "B": "black-king"}
    return {number: f"#board-{names[letter]}" for number, letter in arena.Game(variant, fen).pieces.items()}


def replayed(window: Visitor) -> arena.Game:
    """The game of a window by the rules; the board must show its end."""
    state = window.state
    game = arena.Game(state["variant"], state["start"]["fen"])
    for text in window.moves:
        game.push(text)
    assert game.fen == state["fen"]
    assert window.pieces == symbols(state["variant"], game.fen)
    return game
