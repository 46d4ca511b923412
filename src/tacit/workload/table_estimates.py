"""Estimates of tables from noisy contrasts, with exact variances: least squares in every residual, then their sum.

Estimates are conditioned on public numbers (`KnownSum`). Claim: among unbiased linear estimates that satisfy a·x = b,
x̃ = x̂ − Σa(aᵀΣa)⁻¹(aᵀx̂ − b) has the least variance for every linear question, Σ less Σa(aᵀΣa)⁻¹aᵀΣ, where x̂ and Σ
are the unconditioned estimate and its covariance. Proof: x̂ is the best unbiased estimate (Gauss–Markov), and
restricted least squares minimise (x − x̂)ᵀΣ⁻¹(x − x̂) subject to a·x = b: Lagrange's condition gives x̃, and its
covariance is Σ times the projection along Σa. Directions without variance are left out (pseudo-inverse): there x̂
satisfies the constraint already, or the constraints repeat each other. It is post-processing of x̂.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from tacit.frozen import frozen
from tacit.workload.helmert import float_contrasts, spread_back, spread_squares, squared_norms
from tacit.workload.residual_basis import Attributes, ResidualStrategy, subsets
from tacit.workload.tree_squares import TreeSquares

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Nodes = Mapping[Attributes, Sequence[Floats]]
"""For each residual of flat keys, its contrasts in the nodes of every depth: (nodes, *contrasts)."""
Spread = dict[tuple[Attributes, int], Floats]
"""For a residual and a depth, what its contrasts make of a table by its own keys: once for all tables that hold it."""

_SINGULAR = 1e-9  # of the largest variance: constraints that repeat others have less


@frozen(eq=False)
class KnownSum:
    """A public number: the sum of some cells of a table (their places, in its order), in steps."""

    attributes: Attributes
    cells: Integers
    value: Fraction


class TableLaw:
    """The joint law of all tables of a strategy, where each contrast has this variance, and a step so many units."""

    def __init__(self, strategy: ResidualStrategy, variance: Fraction, scale: Fraction) -> None:
        self._strategy, self._tree, self._scale = strategy, strategy.tree, scale
        self._squares: dict[Attributes, TreeSquares] = {}
        self._spread: Spread = {}
        depths: dict[Attributes, int] = {}
        for each in strategy.scales:
            flat = self._tree.flat(each)
            depths[flat] = max(depths.get(flat, 0), self._tree.depth(each))
        for flat, deepest in depths.items():
            levels = [self._tree.at(flat, depth) for depth in range(deepest + 1)]
            precisions = [
                None if each not in strategy.scales else self._units(each).ravel() ** 2 / float(variance)
                for each in levels
            ]
            self._squares[flat] = TreeSquares(self._tree, precisions)

    def nodes(self, values: Mapping[Attributes, Integers]) -> Nodes:
        """The least-squares estimates of all contrasts, in steps."""
        found = {}
        for flat, squares in self._squares.items():
            levels = [self._tree.at(flat, depth) for depth in range(squares.depth + 1)]
            each = [
                None if level not in values else self._flattened(values[level] / self._units(level), depth)
                for depth, level in enumerate(levels)
            ]
            found[flat] = self._shaped(squares.estimates(each), flat)
        return found

    def table(self, nodes: Nodes, attributes: Attributes, kept: Spread | None = None) -> Floats:
        """The cells of a table that contrasts make; `kept` has what was spread back of them before."""
        flat, depth = self._tree.flat(attributes), self._tree.depth(attributes)
        found = np.zeros((self._tree.size(depth), *self._strategy.flat_shape(attributes)))
        for part in subsets(flat):
            if part in nodes:
                spread = None if kept is None else kept.get((part, depth))
                if spread is None:
                    spread = spread_back(nodes[part][depth] / self._norms(part), 1)
                if kept is not None:
                    kept[part, depth] = spread
                found += self._over(spread, part, flat, 1)
        return found.reshape(self._strategy.shape(attributes))

    def variances(self, attributes: Attributes) -> Floats:
        """The exact variance of each cell of a table, in squared steps."""
        flat, depth = self._tree.flat(attributes), self._tree.depth(attributes)
        found = np.zeros((self._tree.size(depth), *self._strategy.flat_shape(attributes)))
        for part in subsets(flat):
            if part in self._squares:
                if (part, depth) not in self._spread:
                    each = self._shaped(self._squares[part].variances(), part)[depth] / self._norms(part) ** 2
                    self._spread[part, depth] = spread_squares(each, 1)
                found += self._over(self._spread[part, depth], part, flat, 2)
        return found.reshape(self._strategy.shape(attributes))

    def coefficients(self, attributes: Attributes, question: Floats) -> Mapping[Attributes, Floats]:
        """A linear question over a table's cells, as one over the contrasts at the table's depth."""
        flat, depth = self._tree.flat(attributes), self._tree.depth(attributes)
        shape, found = (self._tree.size(depth), *self._strategy.flat_shape(attributes)), {}
        for part in subsets(flat):
            if part in self._squares:
                axes = tuple(1 + axis for axis, place in enumerate(flat) if place not in part)
                rest = prod(self._strategy.sizes[place] for place in flat if place not in part)
                summed = question.reshape(shape).sum(axis=axes) / rest
                found[part] = np.asarray(float_contrasts(summed, 1) / self._norms(part))
        return found

    def joined(self, nodes: Nodes) -> Floats:
        """All contrasts of all depths as one vector."""
        return np.concatenate([level.ravel() for part in self._squares for level in nodes[part]])

    def separated(self, vector: Floats) -> Nodes:
        """The contrasts of a vector, each in its place."""
        found, begin = dict[Attributes, list[Floats]](), 0
        for part, squares in self._squares.items():
            shape = [size - 1 for size in self._strategy.flat_shape(part)]
            for depth in range(squares.depth + 1):
                end = begin + self._tree.size(depth) * prod(shape)
                found.setdefault(part, []).append(vector[begin:end].reshape(-1, *shape))
                begin = end
        return found

    def answer(self, asked: Mapping[Attributes, Floats], nodes: Nodes, depth: int) -> tuple[float, float]:
        """The value of a question over contrasts of a depth, and its variance."""
        value = variance = 0.0
        for part, each in asked.items():
            own = each.reshape(self._tree.size(depth), -1)
            value += float((each * nodes[part][depth]).sum())
            variance += float((own * self._squares[part].covariances(own, depth)[depth]).sum())
        return value, variance

    def question(self, asked: Mapping[Attributes, Floats], depth: int) -> tuple[Floats, Floats]:
        """A question over contrasts of a depth as a vector over all contrasts, and the covariance with each."""
        found, covariances = [], []
        for part, squares in self._squares.items():
            shape = [size - 1 for size in self._strategy.flat_shape(part)]
            if part not in asked:
                sizes = [self._tree.size(each) for each in range(squares.depth + 1)]
                found.append(np.zeros(sum(sizes) * prod(shape)))
                covariances.append(found[-1])
                continue
            for each in range(squares.depth + 1):
                found.append(asked[part].ravel() if each == depth else np.zeros(self._tree.size(each) * prod(shape)))
            own = squares.covariances(asked[part].reshape(self._tree.size(depth), -1), depth)
            covariances += [np.ravel(level) for level in own]
        return np.concatenate(found), np.concatenate(covariances)

    def _units(self, residual: Attributes) -> Floats:
        """The factor from each measured number to its contrast, in steps."""
        return np.asarray(self._strategy.multipliers(residual) * float(self._scale))

    def _norms(self, flat: Attributes) -> Floats:
        return squared_norms(self._strategy.flat_shape(flat)).astype(np.float64)[None]

    def _flattened(self, values: Floats, depth: int) -> Floats:
        return np.asarray(values.reshape(self._tree.size(depth), -1))

    def _shaped(self, levels: Sequence[Floats], flat: Attributes) -> list[Floats]:
        shape = [size - 1 for size in self._strategy.flat_shape(flat)]
        return [each.reshape(-1, *shape) for each in levels]

    def _over(self, table: Floats, part: Attributes, flat: Attributes, power: int) -> Floats:
        """A residual over all axes of a table: evenly over those that it lacks."""
        rest = prod(self._strategy.sizes[place] for place in flat if place not in part)
        shape = [self._strategy.sizes[place] if place in part else 1 for place in flat]
        return np.asarray(table.reshape(-1, *shape) / float(rest) ** power)


class TableEstimates:
    """Every table, and every linear question over one, with exact variances; conditioned on known sums."""

    def __init__(
        self,
        strategy: ResidualStrategy,
        values: Mapping[Attributes, Integers],
        variance: Fraction,
        scale: Fraction,
        known: Sequence[KnownSum] = (),
    ) -> None:
        self._strategy, self._law = strategy, TableLaw(strategy, variance, scale)
        self._nodes, self._removed = self._law.nodes(values), np.zeros((0, 0))
        self._spread: Spread = {}
        if telling := [each for each in known if len(each.cells)]:  # a sum of no cells is 0 by itself
            self._condition(telling)

    def table(self, attributes: Attributes) -> Floats:
        """The estimate of every cell of a table, in steps: unbiased, if what is known is true."""
        return self._law.table(self._nodes, attributes, self._spread)

    def variances(self, attributes: Attributes) -> Floats:
        """The exact variance of each cell of a table, in squared steps."""
        found = self._law.variances(attributes)
        largest = float(found.max(initial=0.0))
        for each in self._removed:
            found = found - self._law.table(self._law.separated(each), attributes) ** 2
        return _cleared(found, largest)

    def answers(self, attributes: Attributes, questions: Floats) -> tuple[Floats, Floats]:
        """The estimates of linear questions over a table's cells (a row a question), and their exact variances."""
        depth = self._strategy.tree.depth(attributes)
        values, variances = np.zeros(len(questions)), np.zeros(len(questions))
        for row, question in enumerate(questions):
            asked = self._law.coefficients(attributes, question)
            values[row], variance = self._law.answer(asked, self._nodes, depth)
            if len(self._removed):
                known = ((self._removed @ self._law.question(asked, depth)[0]) ** 2).sum()
                variances[row] = _cleared(np.array(variance - known), variance)
            else:
                variances[row] = variance
        return values, variances

    def _condition(self, known: Sequence[KnownSum]) -> None:
        """Condition the estimates on the known sums, and store the conditioned directions."""
        strategy, tree = self._strategy, self._strategy.tree
        asked, directions = [], []
        for each in known:
            question, depth = np.zeros(prod(strategy.shape(each.attributes))), tree.depth(each.attributes)
            question[each.cells] = 1.0
            found = self._law.question(self._law.coefficients(each.attributes, question), depth)
            asked.append(found[0])
            directions.append(found[1])
        gram = np.array(asked) @ np.array(directions).T
        joined = self._law.joined(self._nodes)
        missing = np.array(asked) @ joined - np.array([float(each.value) for each in known])
        scales = 1 / np.sqrt(np.diag(gram))
        variances, vectors = np.linalg.eigh((gram + gram.T) / 2 * np.outer(scales, scales))
        kept = variances > _SINGULAR * variances.max(initial=0.0)
        whitened = (vectors[:, kept] / np.sqrt(variances[kept])).T * scales
        self._removed = whitened @ np.array(directions)
        self._nodes = self._law.separated(joined - (whitened @ missing) @ self._removed)


def _cleared(variances: Floats, largest: float) -> Floats:
    """Variances without what rounding leaves of those that are zero."""
    return np.where(variances > _SINGULAR * largest, variances, 0.0)
