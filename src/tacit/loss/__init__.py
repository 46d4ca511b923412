"""The currency of privacy: what releases cost, how costs add up, and what they mean. Names load when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.names import lazily

if TYPE_CHECKING:
    from tacit.loss.accountant.account import Account as Account
    from tacit.loss.accountant.account import account as account
    from tacit.loss.accountant.bracket import Bracket as Bracket
    from tacit.loss.accountant.calibrate import largest_rate as largest_rate
    from tacit.loss.accountant.calibrate import least_parameter as least_parameter
    from tacit.loss.accountant.calibrate import most_times as most_times
    from tacit.loss.accountant.concentrated import rho_between as rho_between
    from tacit.loss.accountant.concentrated import zcdp_of as zcdp_of
    from tacit.loss.calibrate import discrete_gaussian_variance as discrete_gaussian_variance
    from tacit.loss.calibrate import gaussian_variance as gaussian_variance
    from tacit.loss.calibrate import laplace_scale as laplace_scale
    from tacit.loss.calibrate import least as least
    from tacit.loss.calibrate import meets as meets
    from tacit.loss.composing.accounted import Accounted as Accounted
    from tacit.loss.composing.composition import Composition as Composition
    from tacit.loss.composing.composition import compose as compose
    from tacit.loss.composing.composition import post_processed as post_processed
    from tacit.loss.composing.group import group_tradeoff as group_tradeoff
    from tacit.loss.composing.kov import RepeatedApprox as RepeatedApprox
    from tacit.loss.composing.optimal_composition import optimal_composition as optimal_composition
    from tacit.loss.composing.parallel import parallel as parallel
    from tacit.loss.composing.published_bounds import compare_bounds as compare_bounds
    from tacit.loss.composing.worst import Worst as Worst
    from tacit.loss.composing.worst import worst as worst
    from tacit.loss.families.approx import Approx as Approx
    from tacit.loss.families.approx import Pure as Pure
    from tacit.loss.families.gdp import Gdp as Gdp
    from tacit.loss.families.rdp import Rdp as Rdp
    from tacit.loss.families.zcdp import Zcdp as Zcdp
    from tacit.loss.filters.budget import budget_from as budget_from
    from tacit.loss.filters.budget import gaussian_budget_from as gaussian_budget_from
    from tacit.loss.filters.filters import Filter as Filter
    from tacit.loss.filters.odometer import Odometer as Odometer
    from tacit.loss.loss import Loss as Loss
    from tacit.loss.order import dominates as dominates
    from tacit.loss.order import fits as fits
    from tacit.loss.pairs.cauchy_pair import CauchyPair as CauchyPair
    from tacit.loss.pairs.discrete_gaussian_pair import DiscreteGaussianPair as DiscreteGaussianPair
    from tacit.loss.pairs.discrete_laplace_pair import DiscreteLaplacePair as DiscreteLaplacePair
    from tacit.loss.pairs.finite_pair import Atom as Atom
    from tacit.loss.pairs.finite_pair import FinitePair as FinitePair
    from tacit.loss.pairs.laplace_pair import LaplacePair as LaplacePair
    from tacit.loss.pairs.pair import Pair as Pair
    from tacit.loss.pairs.range_pair import BoundedRange as BoundedRange
    from tacit.loss.pairs.response import binary_response as binary_response
    from tacit.loss.pairs.response import forced_response as forced_response
    from tacit.loss.pairs.response import kary_response as kary_response
    from tacit.loss.pairs.response import optimal_response as optimal_response
    from tacit.loss.pairs.response import warner_response as warner_response
    from tacit.loss.regions.region import Region as Region
    from tacit.loss.regions.region import compose_regions as compose_regions
    from tacit.loss.regions.region import repeat_region as repeat_region
    from tacit.loss.relation import Relation as Relation
    from tacit.loss.sampling.amplification import amplified as amplified
    from tacit.loss.sampling.sampled_gaussian_renyi import SampledGaussianRenyi as SampledGaussianRenyi
    from tacit.loss.sampling.sampling import Sampling as Sampling
    from tacit.loss.sampling.subsampled import Subsampled as Subsampled
    from tacit.loss.sampling.subsampled import fixed_size as fixed_size
    from tacit.loss.sampling.subsampled import poisson as poisson
    from tacit.loss.words import UtilityChange as UtilityChange
    from tacit.loss.words import cost as cost
    from tacit.loss.words import describe as describe
    from tacit.loss.words import guess_probability as guess_probability
    from tacit.loss.words import posterior as posterior
    from tacit.loss.words import utility_change as utility_change

_HOME = {
    "Account": "accountant.account",
    "account": "accountant.account",
    "Bracket": "accountant.bracket",
    "largest_rate": "accountant.calibrate",
    "least_parameter": "accountant.calibrate",
    "most_times": "accountant.calibrate",
    "rho_between": "accountant.concentrated",
    "zcdp_of": "accountant.concentrated",
    "discrete_gaussian_variance": "calibrate",
    "gaussian_variance": "calibrate",
    "laplace_scale": "calibrate",
    "least": "calibrate",
    "meets": "calibrate",
    "Accounted": "composing.accounted",
    "Composition": "composing.composition",
    "compose": "composing.composition",
    "post_processed": "composing.composition",
    "group_tradeoff": "composing.group",
    "RepeatedApprox": "composing.kov",
    "optimal_composition": "composing.optimal_composition",
    "parallel": "composing.parallel",
    "compare_bounds": "composing.published_bounds",
    "Worst": "composing.worst",
    "worst": "composing.worst",
    "Approx": "families.approx",
    "Pure": "families.approx",
    "Gdp": "families.gdp",
    "Rdp": "families.rdp",
    "Zcdp": "families.zcdp",
    "budget_from": "filters.budget",
    "gaussian_budget_from": "filters.budget",
    "Filter": "filters.filters",
    "Odometer": "filters.odometer",
    "Loss": "loss",
    "dominates": "order",
    "fits": "order",
    "CauchyPair": "pairs.cauchy_pair",
    "DiscreteGaussianPair": "pairs.discrete_gaussian_pair",
    "DiscreteLaplacePair": "pairs.discrete_laplace_pair",
    "Atom": "pairs.finite_pair",
    "FinitePair": "pairs.finite_pair",
    "LaplacePair": "pairs.laplace_pair",
    "Pair": "pairs.pair",
    "BoundedRange": "pairs.range_pair",
    "binary_response": "pairs.response",
    "forced_response": "pairs.response",
    "kary_response": "pairs.response",
    "optimal_response": "pairs.response",
    "warner_response": "pairs.response",
    "Region": "regions.region",
    "compose_regions": "regions.region",
    "repeat_region": "regions.region",
    "Relation": "relation",
    "amplified": "sampling.amplification",
    "SampledGaussianRenyi": "sampling.sampled_gaussian_renyi",
    "Sampling": "sampling.sampling",
    "Subsampled": "sampling.subsampled",
    "fixed_size": "sampling.subsampled",
    "poisson": "sampling.subsampled",
    "UtilityChange": "words",
    "cost": "words",
    "describe": "words",
    "guess_probability": "words",
    "posterior": "words",
    "utility_change": "words",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
