"""Privacy loss: what releases cost, how costs add up, and what they mean. Names load when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.lazy import lazily

if TYPE_CHECKING:
    from tacit.loss.accountant.account import Account as Account
    from tacit.loss.accountant.account import account as account
    from tacit.loss.accountant.concentrated import rho_between as rho_between
    from tacit.loss.accountant.concentrated import zcdp_of as zcdp_of
    from tacit.loss.accountant.plan_calibration import largest_rate as largest_rate
    from tacit.loss.accountant.plan_calibration import least_parameter as least_parameter
    from tacit.loss.accountant.plan_calibration import most_times as most_times
    from tacit.loss.accountant.plan_loss import Accounted as Accounted
    from tacit.loss.calibration import budget_from as budget_from
    from tacit.loss.calibration import discrete_gaussian_variance as discrete_gaussian_variance
    from tacit.loss.calibration import gaussian_budget_from as gaussian_budget_from
    from tacit.loss.calibration import gaussian_variance as gaussian_variance
    from tacit.loss.calibration import laplace_scale as laplace_scale
    from tacit.loss.calibration import least as least
    from tacit.loss.calibration import meets as meets
    from tacit.loss.composition.parallel import Worst as Worst
    from tacit.loss.composition.parallel import parallel as parallel
    from tacit.loss.composition.parallel import worst as worst
    from tacit.loss.composition.published_bounds import compare_bounds as compare_bounds
    from tacit.loss.composition.region import Region as Region
    from tacit.loss.composition.region import compose_regions as compose_regions
    from tacit.loss.composition.region import group_tradeoff as group_tradeoff
    from tacit.loss.composition.region import repeat_region as repeat_region
    from tacit.loss.composition.sequential import Composition as Composition
    from tacit.loss.composition.sequential import compose as compose
    from tacit.loss.composition.sequential import post_processed as post_processed
    from tacit.loss.dominance import dominates as dominates
    from tacit.loss.dominance import fits as fits
    from tacit.loss.families.approx import Approx as Approx
    from tacit.loss.families.approx import Pure as Pure
    from tacit.loss.families.gdp import Gdp as Gdp
    from tacit.loss.families.loss import Loss as Loss
    from tacit.loss.families.loss import Relation as Relation
    from tacit.loss.families.precision import Bracket as Bracket
    from tacit.loss.families.rdp import Rdp as Rdp
    from tacit.loss.families.zcdp import Zcdp as Zcdp
    from tacit.loss.filters.privacy_filter import Filter as Filter
    from tacit.loss.filters.privacy_filter import Odometer as Odometer
    from tacit.loss.interpretation import UtilityChange as UtilityChange
    from tacit.loss.interpretation import cost as cost
    from tacit.loss.interpretation import describe as describe
    from tacit.loss.interpretation import guess_probability as guess_probability
    from tacit.loss.interpretation import posterior as posterior
    from tacit.loss.interpretation import utility_change as utility_change
    from tacit.loss.pairs.additive_noise import CauchyPair as CauchyPair
    from tacit.loss.pairs.additive_noise import DiscreteGaussianPair as DiscreteGaussianPair
    from tacit.loss.pairs.additive_noise import DiscreteLaplacePair as DiscreteLaplacePair
    from tacit.loss.pairs.additive_noise import LaplacePair as LaplacePair
    from tacit.loss.pairs.bounded_range import BoundedRange as BoundedRange
    from tacit.loss.pairs.finite_pair import Atom as Atom
    from tacit.loss.pairs.finite_pair import FinitePair as FinitePair
    from tacit.loss.pairs.optimal_composition import optimal_composition as optimal_composition
    from tacit.loss.pairs.pair import Pair as Pair
    from tacit.loss.pairs.repeated_approx import RepeatedApprox as RepeatedApprox
    from tacit.loss.pairs.response_pairs import binary_response as binary_response
    from tacit.loss.pairs.response_pairs import forced_response as forced_response
    from tacit.loss.pairs.response_pairs import kary_response as kary_response
    from tacit.loss.pairs.response_pairs import optimal_response as optimal_response
    from tacit.loss.pairs.response_pairs import warner_response as warner_response
    from tacit.loss.sampling.amplification import Sampling as Sampling
    from tacit.loss.sampling.amplification import amplified as amplified
    from tacit.loss.sampling.gaussian_renyi import SampledGaussianRenyi as SampledGaussianRenyi
    from tacit.loss.sampling.subsampled import Subsampled as Subsampled
    from tacit.loss.sampling.subsampled import fixed_size as fixed_size
    from tacit.loss.sampling.subsampled import poisson as poisson

_HOME = {
    "Account": "accountant.account",
    "account": "accountant.account",
    "Bracket": "families.precision",
    "largest_rate": "accountant.plan_calibration",
    "least_parameter": "accountant.plan_calibration",
    "most_times": "accountant.plan_calibration",
    "rho_between": "accountant.concentrated",
    "zcdp_of": "accountant.concentrated",
    "discrete_gaussian_variance": "calibration",
    "gaussian_variance": "calibration",
    "laplace_scale": "calibration",
    "least": "calibration",
    "meets": "calibration",
    "Accounted": "accountant.plan_loss",
    "Composition": "composition.sequential",
    "compose": "composition.sequential",
    "post_processed": "composition.sequential",
    "group_tradeoff": "composition.region",
    "RepeatedApprox": "pairs.repeated_approx",
    "optimal_composition": "pairs.optimal_composition",
    "parallel": "composition.parallel",
    "compare_bounds": "composition.published_bounds",
    "Worst": "composition.parallel",
    "worst": "composition.parallel",
    "Approx": "families.approx",
    "Pure": "families.approx",
    "Gdp": "families.gdp",
    "Rdp": "families.rdp",
    "Zcdp": "families.zcdp",
    "budget_from": "calibration",
    "gaussian_budget_from": "calibration",
    "Filter": "filters.privacy_filter",
    "Odometer": "filters.privacy_filter",
    "Loss": "families.loss",
    "dominates": "dominance",
    "fits": "dominance",
    "CauchyPair": "pairs.additive_noise",
    "DiscreteGaussianPair": "pairs.additive_noise",
    "DiscreteLaplacePair": "pairs.additive_noise",
    "Atom": "pairs.finite_pair",
    "FinitePair": "pairs.finite_pair",
    "LaplacePair": "pairs.additive_noise",
    "Pair": "pairs.finite_pair",
    "BoundedRange": "pairs.bounded_range",
    "binary_response": "pairs.response_pairs",
    "forced_response": "pairs.response_pairs",
    "kary_response": "pairs.response_pairs",
    "optimal_response": "pairs.response_pairs",
    "warner_response": "pairs.response_pairs",
    "Region": "composition.region",
    "compose_regions": "composition.region",
    "repeat_region": "composition.region",
    "Relation": "families.loss",
    "amplified": "sampling.amplification",
    "SampledGaussianRenyi": "sampling.gaussian_renyi",
    "Sampling": "sampling.amplification",
    "Subsampled": "sampling.subsampled",
    "fixed_size": "sampling.subsampled",
    "poisson": "sampling.subsampled",
    "UtilityChange": "interpretation",
    "cost": "interpretation",
    "describe": "interpretation",
    "guess_probability": "interpretation",
    "posterior": "interpretation",
    "utility_change": "interpretation",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
