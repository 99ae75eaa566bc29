"""The compiler made ready, when this is imported: what loads compiled code does it first, and it takes a second.

For servers that processes are forked from, which then begin with it done.
"""

from __future__ import annotations

from numba.core.registry import cpu_target

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
