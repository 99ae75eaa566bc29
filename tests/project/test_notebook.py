"""The notebook of `configs/`: executed as a reader would, it gives the outputs that are kept in it."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.needed import needed

nbformat = needed("nbformat")
nbclient = needed("nbclient")
needed("ipykernel")

FILE = Path(__file__).parents[2] / "configs" / "your_heuristic.ipynb"


@pytest.fixture(scope="module")
def kept() -> Any:
    return nbformat.read(FILE, as_version=4)


@pytest.fixture(scope="module")
def executed(kept: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook with the outputs of now."""
    book = nbformat.from_dict(kept)
    place = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3", resources=place).execute()
    return book


def outputs(book: Any) -> list[list[dict[str, str]]]:
    """Of each code cell its outputs, texts by their types."""
    return [
        [
            {name: "".join(text) for name, text in (part.get("data") or {"text": part.get("text", "")}).items()}
            for part in cell["outputs"]
        ]
        for cell in book.cells
        if cell["cell_type"] == "code"
    ]


def test_it_names_no_machine():
    text = FILE.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|tmp|Users|usr)/|[A-Z]:\\\\", text)
    assert f'"{socket.gethostname()}"' not in text


@pytest.mark.full
def test_it_gives_the_outputs_that_are_kept(kept, executed):
    before, now = outputs(kept), outputs(executed)
    assert [[*map(set, cell)] for cell in now] == [[*map(set, cell)] for cell in before]
    written, (card,), (table,), (_,), (words, board) = now
    assert written == before[0]
    paragraphs, expected = (
        re.findall(r"<p>.*?</p>", html, re.DOTALL) for html in (card["text/html"], before[1][0]["text/html"])
    )
    assert paragraphs[1:] == expected[1:]  # the facts have the day and the seconds
    assert table["text/plain"] == before[2][0]["text/plain"]
    assert (words, board["image/svg+xml"]) == (before[4][0], before[4][1]["image/svg+xml"])
