"""Polls and local privacy: every answer is randomised before it leaves its person. Names load when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.lazy import lazily

if TYPE_CHECKING:
    from tacit.local.frequencies.choice import best as best
    from tacit.local.frequencies.prefixes import PrefixSearch as PrefixSearch
    from tacit.local.frequencies.words import WordSearch as WordSearch
    from tacit.local.means.extremal import extremal as extremal
    from tacit.local.means.optimal import best_mean as best_mean
    from tacit.local.means.vector_response import VectorResponse as VectorResponse
    from tacit.local.over_time.keyed import new_key as new_key
    from tacit.local.over_time.respondent import Respondent as Respondent
    from tacit.local.polls.designs.at_least_one import AtLeastOne as AtLeastOne
    from tacit.local.polls.designs.at_least_one import Triangular as Triangular
    from tacit.local.polls.designs.crosswise import Crosswise as Crosswise
    from tacit.local.polls.designs.forced import Forced as Forced
    from tacit.local.polls.designs.kuk import Kuk as Kuk
    from tacit.local.polls.designs.list_experiment import ListExperiment as ListExperiment
    from tacit.local.polls.designs.one_of_many import OneOfMany as OneOfMany
    from tacit.local.polls.designs.set_of_many import SetOfMany as SetOfMany
    from tacit.local.polls.designs.unrelated import Unrelated as Unrelated
    from tacit.local.polls.designs.unrelated import UnrelatedEstimated as UnrelatedEstimated
    from tacit.local.polls.designs.warner import Warner as Warner
    from tacit.local.polls.file import read_poll as read_poll
    from tacit.local.polls.intervals.method import Method as Method
    from tacit.local.polls.poll import Poll as Poll
    from tacit.local.randomizers.kary import KaryResponse as KaryResponse
    from tacit.local.randomizers.subset import SubsetSelection as SubsetSelection
    from tacit.local.randomizers.table import Table as Table
    from tacit.local.regression.outcome import logistic as logistic
    from tacit.local.regression.predictor import logistic_on_report as logistic_on_report
    from tacit.local.shuffle.shuffled import ShuffledReports as ShuffledReports

_HOME = {
    "best": "frequencies.choice",
    "PrefixSearch": "frequencies.prefixes",
    "WordSearch": "frequencies.words",
    "extremal": "means.extremal",
    "best_mean": "means.optimal",
    "VectorResponse": "means.vector_response",
    "new_key": "over_time.keyed",
    "Respondent": "over_time.respondent",
    "AtLeastOne": "polls.designs.at_least_one",
    "Triangular": "polls.designs.at_least_one",
    "Crosswise": "polls.designs.crosswise",
    "Forced": "polls.designs.forced",
    "Kuk": "polls.designs.kuk",
    "ListExperiment": "polls.designs.list_experiment",
    "OneOfMany": "polls.designs.one_of_many",
    "SetOfMany": "polls.designs.set_of_many",
    "Unrelated": "polls.designs.unrelated",
    "UnrelatedEstimated": "polls.designs.unrelated",
    "Warner": "polls.designs.warner",
    "read_poll": "polls.file",
    "Method": "polls.intervals.method",
    "Poll": "polls.poll",
    "KaryResponse": "randomizers.kary",
    "SubsetSelection": "randomizers.subset",
    "Table": "randomizers.table",
    "logistic": "regression.outcome",
    "logistic_on_report": "regression.predictor",
    "ShuffledReports": "shuffle.shuffled",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
