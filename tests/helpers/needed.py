"""Packages that some tests need and that the extra `dev` does not install."""

import importlib
import os
from typing import Any

import pytest


def needed(name: str) -> Any:
    """The module of that name. Without it the test or file is skipped, but fails where ALL_INSTALLED is set."""
    if os.environ.get("ALL_INSTALLED"):
        return importlib.import_module(name)
    return pytest.importorskip(
        name, reason=f"{name} is not installed: pip install -e '.[full]'", exc_type=ImportError
    )
