"""The compositions that accountants are compared on, as plain numbers: the peers' environment reads this file too."""

SAMPLED = {  # name → sampling rate, σ, steps, δ
    "A1": (0.01, 1.0, 1_000, 1e-5),
    "A2": (0.01, 1.0, 100_000, 1e-5),
    "A3": (256 / 60_000, 1.1, 14_100, 1e-5),
    "A4": (0.001, 0.6, 100_000, 1e-7),
}
LAPLACE = (10.0, 500, 1e-6)  # scale, times, δ
SCALES = [20 + 0.4 * i for i in range(200)]  # D: so many Gaussian and as many Laplace releases,
RESPONSES = [0.02 + 0.002 * i for i in range(50)]  # and these randomized responses,
MIXED_DELTA = 1e-6  # at this δ
TARGETS = {"A1": 2.0, "A2": 8.0}  # calibrate σ of the sampled case to this ε
PATIENCE = 60  # seconds after which a peer's calibration is stopped; its time is then at least this
