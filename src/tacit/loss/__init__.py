"""The currency of privacy: what releases cost, how costs add up, and what they mean."""

from tacit.loss.approx import Approx, Pure
from tacit.loss.calibrate import discrete_gaussian_variance, gaussian_variance, laplace_scale, least, meets
from tacit.loss.composition import Composition, compose, post_processed
from tacit.loss.discrete_gaussian_pair import DiscreteGaussianPair
from tacit.loss.discrete_laplace_pair import DiscreteLaplacePair
from tacit.loss.finite_pair import Atom, FinitePair
from tacit.loss.gdp import Gdp
from tacit.loss.group import group_tradeoff
from tacit.loss.laplace_pair import LaplacePair
from tacit.loss.loss import Loss
from tacit.loss.order import dominates, fits
from tacit.loss.pair import Pair
from tacit.loss.parallel import parallel
from tacit.loss.range_pair import BoundedRange
from tacit.loss.rdp import Rdp
from tacit.loss.relation import Relation
from tacit.loss.response import (
    binary_response,
    forced_response,
    kary_response,
    optimal_response,
    warner_response,
)
from tacit.loss.words import UtilityChange, describe, guess_probability, posterior, utility_change
from tacit.loss.worst import Worst, worst
from tacit.loss.zcdp import Zcdp

__all__ = [
    "Approx",
    "Atom",
    "BoundedRange",
    "Composition",
    "DiscreteGaussianPair",
    "DiscreteLaplacePair",
    "FinitePair",
    "Gdp",
    "LaplacePair",
    "Loss",
    "Pair",
    "Pure",
    "Rdp",
    "Relation",
    "UtilityChange",
    "Worst",
    "Zcdp",
    "binary_response",
    "compose",
    "describe",
    "discrete_gaussian_variance",
    "dominates",
    "fits",
    "forced_response",
    "gaussian_variance",
    "group_tradeoff",
    "guess_probability",
    "kary_response",
    "laplace_scale",
    "least",
    "meets",
    "optimal_response",
    "parallel",
    "post_processed",
    "posterior",
    "utility_change",
    "warner_response",
    "worst",
]
