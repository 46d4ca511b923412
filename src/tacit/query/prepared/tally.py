"""The SQL of a tally on kept totals: most people are surely within their limits, and are added up as they are."""

from __future__ import annotations

from math import floor

from tacit.query.expressions.storage import double_sql
from tacit.query.lowering.clamp import WORD, cut, sum_of_words, total, word, word_sum
from tacit.query.lowering.tally import TallyBlock, group_by
from tacit.query.plans.limit import Scaling
from tacit.query.prepared.totals import MOST_HELD, KeptTotals

_SURELY = 1 - 2.0**-20


def kept_tally_sql(block: TallyBlock, kept: KeptTotals) -> str:
    """The same columns, and the same sums, as `block.sql()`.

    Claim: nobody that `_light` accepts would be shrunk, or cut but at a word, so the plain sums of their totals are
    what the block would add up; all others go through the block itself. Whether one person is light depends on their
    own rows.
    """
    light = _light(block, kept)
    groups = ["k0"] if kept.key else []
    names = [f"y{place}" for place in range(len(block.measures))]
    sums = [
        f"{_scaled_sum(total, scaling, block)} AS {name}"
        for name, total, scaling in zip(names, kept.totals, block.scalings, strict=True)
    ]
    weights = [f"{word_sum(block.rule.weight('held'))} AS w"] if block.rule else []
    keys = [f"{kept.key} AS k0"] if kept.key else []
    plain = f"SELECT {', '.join([*keys, *sums, *weights])} FROM {kept.table} WHERE {light}" + group_by(groups)
    rest = block.sql(f"({kept.sql(f'NOT ({light})')})")
    columns = [*names, "w"] if block.rule else names
    listed = ", ".join([*groups, *(f"{sum_of_words(name)} AS {name}" for name in columns)])
    both = f'(({plain}) UNION ALL ({rest})) AS "__both"'
    return f"SELECT {listed} FROM {both}" + group_by(groups)


def _scaled_sum(kept: str, scaling: Scaling, block: TallyBlock) -> str:
    """The sum of scaled totals; multiplied once, after the sum, where that is the same.

    None of the light is beyond its limit, by the norms that are kept; each is cut to it all the same.
    """
    most = min(floor(block.noise.radius / scaling.scale), WORD) if block.is_joint else scaling.cap
    value = cut(kept, -most, most)
    return word_sum(value.scaled(1, scaling.over)) if scaling.over > 1 else word(f"{total(value)} * {scaling.times}")


def _light(block: TallyBlock, kept: KeptTotals) -> str:
    """Whether a person is surely within the limits, as a condition on a kept row.

    A norm in ℓ₁ is at most √held times that in ℓ₂. Where each total is cut at its own cap, norms within the caps are
    enough: each coordinate's share of the radius is what its cap fills. Division cuts towards zero, so it lengthens
    nothing.
    """
    spread = "" if block.noise.is_gaussian or not kept.key else " * held"
    caps = [scaling.cap for scaling in block.scalings]
    tests = [f"held <= {MOST_HELD}"] if kept.key else []
    if not block.is_joint:
        tests += [
            f"{square}{spread} <= {double_sql(float(cap) ** 2 * _SURELY)}"
            for square, cap in zip(kept.squares, caps, strict=True)
        ]
    elif block.noise.is_gaussian:
        norm = " + ".join(
            f"{double_sql(float(s.scale) ** 2)} * {square}"
            for s, square in zip(block.scalings, kept.squares, strict=True)
        )
        tests.append(f"{norm} <= {double_sql(float(block.noise.radius) ** 2 * _SURELY)}")
    else:
        norm = " + ".join(
            f"{double_sql(s.scale)} * sqrt({square}{spread})"
            for s, square in zip(block.scalings, kept.squares, strict=True)
        )
        tests.append(f"{norm} <= {double_sql(float(block.noise.radius) * _SURELY)}")
    return " AND ".join(tests) or "TRUE"
