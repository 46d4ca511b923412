"""Polls and local privacy: every answer is randomised before it is sent. Names load when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.lazy import lazily

if TYPE_CHECKING:
    from tacit.local.frequencies.frequent_words import WordSearch as WordSearch
    from tacit.local.frequencies.heavy_hitters import PrefixSearch as PrefixSearch
    from tacit.local.frequencies.oracle_choice import best as best
    from tacit.local.means.optimal_mean import best_mean as best_mean
    from tacit.local.means.vector_response import VectorResponse as VectorResponse
    from tacit.local.polls.designs.list_experiment import ListExperiment as ListExperiment
    from tacit.local.polls.designs.multiple_choice import OneOfMany as OneOfMany
    from tacit.local.polls.designs.multiple_choice import SetOfMany as SetOfMany
    from tacit.local.polls.designs.nonrandomized_response import AtLeastOne as AtLeastOne
    from tacit.local.polls.designs.nonrandomized_response import Crosswise as Crosswise
    from tacit.local.polls.designs.nonrandomized_response import Triangular as Triangular
    from tacit.local.polls.designs.randomized_response import ForcedDesign as ForcedDesign
    from tacit.local.polls.designs.randomized_response import Kuk as Kuk
    from tacit.local.polls.designs.randomized_response import WarnerDesign as WarnerDesign
    from tacit.local.polls.designs.two_samples import Unrelated as Unrelated
    from tacit.local.polls.designs.two_samples import UnrelatedEstimated as UnrelatedEstimated
    from tacit.local.polls.estimation.logistic_regression import logistic as logistic
    from tacit.local.polls.estimation.logistic_regression import logistic_on_report as logistic_on_report
    from tacit.local.polls.estimation.rate_interval import Method as Method
    from tacit.local.polls.poll import Poll as Poll
    from tacit.local.polls.poll_file import read_poll as read_poll
    from tacit.local.randomizers.extremal import extremal as extremal
    from tacit.local.randomizers.longitudinal import Respondent as Respondent
    from tacit.local.randomizers.longitudinal import new_key as new_key
    from tacit.local.randomizers.randomizer import WeightTable as WeightTable
    from tacit.local.randomizers.subset_selection import KaryResponse as KaryResponse
    from tacit.local.randomizers.subset_selection import SubsetSelection as SubsetSelection
    from tacit.local.shuffle.shuffled import ShuffledReports as ShuffledReports

    Forced = ForcedDesign
    Table = WeightTable
    Warner = WarnerDesign

_HOME = {
    "best": "frequencies.oracle_choice",
    "PrefixSearch": "frequencies.heavy_hitters",
    "WordSearch": "frequencies.frequent_words",
    "extremal": "randomizers.extremal",
    "best_mean": "means.optimal_mean",
    "VectorResponse": "means.vector_response",
    "new_key": "randomizers.longitudinal",
    "Respondent": "randomizers.longitudinal",
    "AtLeastOne": "polls.designs.nonrandomized_response",
    "Triangular": "polls.designs.nonrandomized_response",
    "Crosswise": "polls.designs.nonrandomized_response",
    "Forced": "polls.designs.randomized_response:ForcedDesign",
    "ForcedDesign": "polls.designs.randomized_response",
    "Kuk": "polls.designs.randomized_response",
    "ListExperiment": "polls.designs.list_experiment",
    "OneOfMany": "polls.designs.multiple_choice",
    "SetOfMany": "polls.designs.multiple_choice",
    "Unrelated": "polls.designs.two_samples",
    "UnrelatedEstimated": "polls.designs.two_samples",
    "Warner": "polls.designs.randomized_response:WarnerDesign",
    "WarnerDesign": "polls.designs.randomized_response",
    "read_poll": "polls.poll_file",
    "Method": "polls.estimation.rate_interval",
    "Poll": "polls.poll",
    "KaryResponse": "randomizers.subset_selection",
    "SubsetSelection": "randomizers.subset_selection",
    "Table": "randomizers.randomizer:WeightTable",
    "WeightTable": "randomizers.randomizer",
    "logistic": "polls.estimation.logistic_regression",
    "logistic_on_report": "polls.estimation.logistic_regression",
    "ShuffledReports": "shuffle.shuffled",
}

__all__ = sorted(_HOME.keys() - {"Forced", "Table", "Warner"})  # older names of three classes
__getattr__, __dir__ = lazily(__name__, _HOME)
