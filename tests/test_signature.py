"""The bench signature: every search finds in counted limits what it found when the table was made."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bench.signature import signature

DATA = Path(__file__).parent / "data" / "signature.csv"


@pytest.mark.compiled
def test_searches_find_the_values_moves_and_nodes_of_the_table() -> None:
    kept = DATA.read_text().splitlines()
    found = list(signature())
    differ = [f"{now}\n  was {before}" for before, now in zip(kept, found, strict=True) if before != now]
    assert not differ, "\n".join(differ)
