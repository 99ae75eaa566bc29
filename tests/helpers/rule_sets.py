"""The rule sets that tests run on: which are compiled as constants, and which are values.

Importing this makes those of VARIANTS that are not to be compiled values.
"""

from dataclasses import replace
from typing import cast

import numba

from arena.rules.custom import build_variant
from arena.rules.jit.kernel import FIELDS, Values
from arena.rules.rules import Rules
from arena.rules.variants import VARIANTS, Variant

UNCOMPILED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
"""Whether kernels run as Python, for coverage: hundreds of times slower, so on few positions of two rule sets."""
POSITIONS = 1000
"""How many positions from play, and how many scattered ones, a rule set is tried on."""

COMPILED = () if UNCOMPILED else ("english",)
"""Rule sets that tests have as constants, as kernels receive them everywhere outside the tests.

The others run as values, for which the same kernels are compiled once instead of once a rule set. That constants
do what values do is shown by `test_values_and_constants_are_the_same_rules`.
"""


def share(variant: Variant, number: int) -> int:
    """How many positions to search of a rule set, where those of COMPILED are searched in `number` of them.

    A search knows rules by the generator alone, which `test_movegen` tries on all positions, and by how a game
    ends; it is the same code for all sets. So the others add their ends, for which a quarter is enough.
    """
    return number if UNCOMPILED or variant.name in COMPILED else number // 4


def as_values(rules: Rules) -> Rules:
    """Rules, as constants or values, as values."""
    return cast(Rules, Values(*(getattr(rules, name) for name in FIELDS)))


def by_constants(variant: Variant) -> Variant:
    """The variant with its rules as constants, whether or not it is one of COMPILED."""
    return replace(variant, rules=Rules(*(getattr(variant.rules, name) for name in FIELDS)))


def by_values(variant: Variant) -> Variant:
    """The variant with its rules as values."""
    return replace(variant, rules=as_values(variant.rules))


_COMPILED = [VARIANTS[name].rules for name in COMPILED]
for _variant in VARIANTS.values():
    if _variant.rules not in _COMPILED:
        vars(_variant)["rules"] = as_values(_variant.rules)

_FIRST_OF_RULES = {variant.rules: variant for variant in reversed(VARIANTS.values())}
RULE_SETS = [
    variant
    for variant in reversed(_FIRST_OF_RULES.values())
    if not UNCOMPILED or variant.name in ("english", "frisian")
]
_SIZED = [] if UNCOMPILED else [by_values(build_variant(name)) for name in ("english-6x6", "thai-10x10")]
RULE_SETS += _SIZED
"""Rule sets that tests of each go through: one of all with the same rules, and two on boards of another size."""
BY_NAME = VARIANTS | {variant.name: variant for variant in _SIZED}
"""Those of VARIANTS and the two of another size."""
