"""OpenDP's integer noise: seconds per value in a vector, and seconds per scalar call."""

import json
from statistics import median
from time import perf_counter

import opendp.prelude as dp

dp.enable_features("contrib")
SIZE = 20_000


def seconds(run, rounds=3):
    run()
    taken = []
    for _ in range(rounds):
        start = perf_counter()
        run()
        taken.append(perf_counter() - start)
    return median(taken)


measured = {}
zeros = [0] * SIZE
atoms = dp.atom_domain(T=int)
for scale in (1, 10**3, 10**6):
    laplace = dp.m.make_laplace(dp.vector_domain(atoms), dp.l1_distance(T=int), float(scale))
    gaussian = dp.m.make_gaussian(dp.vector_domain(atoms), dp.l2_distance(T=float), float(scale))
    measured[f"laplace {scale}"] = seconds(lambda m=laplace: m(zeros)) / SIZE
    measured[f"gaussian {scale}"] = seconds(lambda m=gaussian: m(zeros)) / SIZE
one = dp.m.make_laplace(atoms, dp.absolute_distance(T=int), 2.0)
measured["laplace scalar"] = seconds(lambda: [one(5) for _ in range(2000)]) / 2000
two = dp.m.make_gaussian(atoms, dp.absolute_distance(T=float), 2.0)
measured["gaussian scalar"] = seconds(lambda: [two(5) for _ in range(2000)]) / 2000
print(json.dumps(measured))
