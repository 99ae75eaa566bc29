"""The one page of `arena play --browser`, made of its parts: templates, styles and scripts."""

from __future__ import annotations

from importlib.resources import files

from markupsafe import Markup

from arena.report.markup import environment

STYLES = ("report/page/palette.css", "report/viewer/viewer.css", "web/page/page.css")
"""Below the package `arena`, in the order in which the browser reads them."""
MODULE = "web/page/main.js"
"""The module that is the page, as STYLES: its imports say what else is read."""


def page(nonce: str, modules: str) -> str:
    """The page; its modules are below the address `modules`, each at its path in the package `arena`.

    Its one style and its one script have `nonce`, a random text of letters and digits, new for every answer.
    """
    index = environment().get_template("web/page/index.html")
    style = Markup("".join(map(_text, STYLES)))
    return index.render(nonce=nonce, style=style, script=f"{modules}{MODULE}")


def page_policy(nonce: str, host: str) -> str:
    """The page's Content-Security-Policy: its one script and style, and the server at `host`."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
        "img-src 'self' data: blob:; "
        f"connect-src 'self' ws://{host}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _text(name: str) -> str:
    return files("arena").joinpath(name).read_text(encoding="utf-8")
