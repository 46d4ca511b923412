"""Answers of diffprivlib, OpenDP and pure-ldp about two neighbouring values, written to a file for the audit.

`python audit_answers.py FILE`: arrays in FILE, and what each mechanism claims as one line of JSON.
"""

import json
import sys
import warnings

import diffprivlib.mechanisms as dpl
import numpy as np
import opendp.prelude as dp
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.rappor import RAPPORClient, RAPPORServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient

warnings.simplefilter("ignore")
dp.enable_features("contrib")
SIZE = 40_000
arrays, claims = {}, []


def take(name, epsilon, delta, answer, one, other, law=None):
    """So many answers about either; `law` is the stated law of an integer's noise."""
    for place, value in enumerate((one, other)):
        arrays[f"{len(claims)} {place}"] = np.array([answer(value) for _ in range(SIZE)])
    claims.append({"name": name, "epsilon": epsilon, "delta": delta, "values": [one, other], "law": law})


def diffprivlib():
    reals, whole = {"sensitivity": 1.0}, {"sensitivity": 1}
    ends = {"lower": -10.0, "upper": 10.0}
    loose = {"epsilon": 1.0, "delta": 1e-5}
    for name, mechanism, epsilon, delta in (
        ("Laplace", dpl.Laplace(epsilon=1.0, **reals), 1.0, 0.0),
        ("LaplaceTruncated", dpl.LaplaceTruncated(epsilon=1.0, **reals, **ends), 1.0, 0.0),
        ("LaplaceFolded", dpl.LaplaceFolded(epsilon=1.0, **reals, **ends), 1.0, 0.0),
        ("LaplaceBoundedDomain", dpl.LaplaceBoundedDomain(epsilon=1.0, **reals, **ends), 1.0, 0.0),
        ("LaplaceBoundedNoise", dpl.LaplaceBoundedNoise(epsilon=1.0, delta=0.01, **reals), 1.0, 0.01),
        ("Snapping", dpl.Snapping(epsilon=1.0, **reals, **ends), 1.0, 0.0),
        ("Staircase", dpl.Staircase(epsilon=1.0, **reals), 1.0, 0.0),
        ("Gaussian", dpl.Gaussian(**loose, **reals), 1.0, 1e-5),
        ("GaussianAnalytic", dpl.GaussianAnalytic(**loose, **reals), 1.0, 1e-5),
    ):
        take(f"diffprivlib {name}", epsilon, delta, mechanism.randomise, 0.0, 1.0)
    geometric = dpl.Geometric(epsilon=0.5, **whole)
    take("diffprivlib Geometric", 0.5, 0.0, geometric.randomise, 0, 1, ["discrete Laplace", 2.0])
    cut = dpl.GeometricTruncated(epsilon=0.5, lower=0, upper=5, **whole)
    take("diffprivlib GeometricTruncated", 0.5, 0.0, cut.randomise, 0, 1)
    gaussian = dpl.GaussianDiscrete(**loose, **whole)
    law = ["discrete Gaussian", float(gaussian._scale)]
    take("diffprivlib GaussianDiscrete", 1.0, 1e-5, gaussian.randomise, 0, 1, law)
    binary = dpl.Binary(epsilon=1.0, value0="0", value1="1")
    take("diffprivlib Binary", 1.0, 0.0, lambda value: int(binary.randomise(value)), "0", "1")


def opendp():
    real, whole = dp.atom_domain(T=float, nan=False), dp.atom_domain(T=int)
    take("OpenDP Laplace, float", 1.0, 0.0, dp.m.make_laplace(real, dp.absolute_distance(T=float), 1.0), 0.0, 1.0)
    laplace = dp.m.make_laplace(whole, dp.absolute_distance(T=int), 2.0)
    take("OpenDP Laplace, integer", 0.5, 0.0, laplace, 0, 1, ["discrete Laplace", 2.0])
    gaussian = dp.m.make_gaussian(real, dp.absolute_distance(T=float), 4.0)
    take("OpenDP Gaussian, float", 1.0, 1e-5, gaussian, 0.0, 1.0)
    gaussian = dp.m.make_gaussian(whole, dp.absolute_distance(T=float), 4.0)
    take("OpenDP Gaussian, integer", 1.0, 1e-5, gaussian, 0, 1, ["discrete Gaussian", 4.0])


def pure_ldp():
    direct = DEClient(1.0, 8)
    take("pure-ldp direct encoding", 1.0, 0.0, direct.privatise, 1, 2)
    for optimised in (False, True):
        unary = UEClient(1.0, 8, optimised)
        take(f"pure-ldp unary encoding{', optimised' * optimised}", 1.0, 0.0, unary.privatise, 1, 2)
    f, hashes, cohorts = 0.5, 2, 2
    server = RAPPORServer(f, 8, hashes, 8, cohorts)
    client = RAPPORClient(f, 8, server.get_hash_funcs(), cohorts)

    def report(value):
        bits, cohort = client.privatise(value)
        return [*bits, cohort]

    take("pure-ldp RAPPOR", client.convert_f_to_eps(f, hashes), 0.0, report, 1, 2)


diffprivlib()
opendp()
pure_ldp()
np.savez(sys.argv[1], **arrays)
print(json.dumps(claims))
