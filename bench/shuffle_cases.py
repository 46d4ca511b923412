"""The cases of the shuffle benchmark, shared with the peers' scripts, which do not import Tacit."""

DELTA = 1e-6
CLONES = [(10**6, 1.0), (10**6, 4.0)]
PATIENT = 1.0  # the ε₀ at which the published walk is run
PEOPLE = (10**3, 10**4, 10**5, 10**6)
LOCALS = ("0.5", "1", "2", "4", "6")
OPTIONS = (2, 3, 10, 100)
