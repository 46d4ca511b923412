"""The SQL of a tally on kept totals: most people are surely within their limits, and are added up as they are."""

from __future__ import annotations

from tacit.query.expressions.storage import double_sql
from tacit.query.lowering.tally import TallyBlock, group_by, word_sum
from tacit.query.plans.limit import Scaling
from tacit.query.prepared.totals import MOST_HELD, KeptTotals

_SURELY = 1 - 2.0**-20
_WORD = 2**62  # the block cuts a total there, whatever its limit


def kept_tally_sql(block: TallyBlock, kept: KeptTotals) -> str:
    """The same columns, and the same sums, as `block.sql()`.

    Claim: nobody that `_light` accepts would be cut or shrunk, so the plain sums of their totals are what the block
    would add up; all others go through the block itself. Whether one person is light depends on their own rows.
    """
    light = _light(block, kept)
    groups = ["k0"] if kept.key else []
    names = [f"y{place}" for place in range(len(block.measures))]
    sums = [
        f"{_scaled_sum(total, scaling)} AS {name}"
        for name, total, scaling in zip(names, kept.totals, block.scalings, strict=True)
    ]
    weights = [f"SUM({block.rule.weight_sql('held')}) AS w"] if block.rule else []
    keys = [f"{kept.key} AS k0"] if kept.key else []
    plain = f"SELECT {', '.join([*keys, *sums, *weights])} FROM {kept.table} WHERE {light}" + group_by(groups)
    rest = block.sql(f"({kept.sql(f'NOT ({light})')})")
    columns = [*names, "w"] if block.rule else names
    listed = ", ".join([*groups, *(f"{word_sum(name)} AS {name}" for name in columns)])
    both = f'(({plain}) UNION ALL ({rest})) AS "__both"'
    return f"SELECT {listed} FROM {both}" + group_by(groups)


def _scaled_sum(total: str, scaling: Scaling) -> str:
    """The sum of scaled totals, none of which is cut; multiplied once, after the sum, where that is the same."""
    if scaling.over > 1:
        return f"SUM({total} // {scaling.over})"
    return f"CAST(SUM({total}) AS HUGEINT) * {scaling.times}"


def _light(block: TallyBlock, kept: KeptTotals) -> str:
    """Whether a person is surely within the limits, as a condition on a kept row.

    A norm in ℓ₁ is at most √held times that in ℓ₂. Where each total is cut at its own cap, norms within the caps are
    enough: each coordinate's share of the radius is what its cap fills. Where only the norm of all of them counts, it
    may permit totals that do not fit a word: those are not light. Division cuts towards zero, so it lengthens nothing.
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
    if block.is_joint:
        tests += [
            f"{square} <= {double_sql(float(_WORD) ** 2 * _SURELY)}"
            for square, scaling in zip(kept.squares, block.scalings, strict=True)
            if block.noise.radius / scaling.scale >= _WORD
        ]
    return " AND ".join(tests) or "TRUE"
