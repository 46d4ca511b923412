"""pure-ldp and multi-freq-ldpy: seconds to randomise and decode a million reports, and pure-ldp's squared error.

Fewer people than a million are timed, and the time per person is scaled up; building a client is not timed.
"""

import json
import random
import warnings
from time import perf_counter

import numpy as np
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client
from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

warnings.simplefilter("ignore")
EPSILON, OPTIONS, MILLION = 1.0, 1024, 10**6


def unshifted(value):
    return value


def pure(oracle, options):
    """A client and a server of pure-ldp that take options from 0."""
    if oracle == "kary":
        return DEClient(EPSILON, options, unshifted), DEServer(EPSILON, options, unshifted)
    if oracle == "unary":
        return UEClient(EPSILON, options, True, unshifted), UEServer(EPSILON, options, True, unshifted)
    if oracle == "hashing":
        client = LHClient(EPSILON, options, use_olh=True, index_mapper=unshifted)
        return client, LHServer(EPSILON, options, use_olh=True, index_mapper=unshifted)
    server = HadamardResponseServer(EPSILON, options, unshifted)
    return HadamardResponseClient(EPSILON, options, server.get_hash_funcs(), unshifted), server


def run_pure(oracle, options, answers):
    client, server = pure(oracle, options)
    for answer in answers:
        server.aggregate(client.privatise(answer))
    return np.array([server.estimate(option, suppress_warnings=True) for option in range(options)]) / len(answers)


MULTI = {
    "kary": (lambda v, k: GRR_Client(v, k, EPSILON), lambda r, k: GRR_Aggregator_MI(r, k, EPSILON)),
    "unary": (lambda v, k: UE_Client(v, k, EPSILON, True), lambda r, k: UE_Aggregator_MI(r, EPSILON, True)),
    "hashing": (lambda v, k: LH_Client(v, k, EPSILON), lambda r, k: LH_Aggregator_MI(r, k, EPSILON)),
    "subset": (lambda v, k: SS_Client(v, k, EPSILON), lambda r, k: SS_Aggregator_MI(r, k, EPSILON)),
}


def run_multi(oracle, options, answers):
    client, aggregator = MULTI[oracle]
    return aggregator([client(answer, options) for answer in answers], options)


def seconds(run, oracle, people):
    """Seconds for a million people, from so many."""
    answers = [random.randrange(OPTIONS) for _ in range(people)]
    run(oracle, OPTIONS, answers[:10])  # for just-in-time compilation
    start = perf_counter()
    run(oracle, OPTIONS, answers)
    return (perf_counter() - start) * MILLION / people


def squared_error(run, oracle, options, people, surveys):
    """The mean over surveys and options of n times the squared error, everyone's answers spread evenly."""
    answers = [place % options for place in range(people)]
    errors = [np.mean((run(oracle, options, answers) - 1 / options) ** 2) for _ in range(surveys)]
    return float(np.mean(errors)) * people


measured = {}
for oracle, people in (("kary", 200_000), ("unary", 5_000), ("hashing", 500), ("hadamard", 200_000)):
    measured[f"pure-ldp {oracle}"] = seconds(run_pure, oracle, people)
for oracle, people in (("kary", 200_000), ("unary", 20_000), ("hashing", 500), ("subset", 20_000)):
    measured[f"multi-freq-ldpy {oracle}"] = seconds(run_multi, oracle, people)
for options, choice in ((4, "kary"), (8, "kary"), (16, "unary"), (256, "unary")):
    measured[f"pure-ldp error {options}"] = squared_error(run_pure, choice, options, 2048, 100)
print(json.dumps(measured))
