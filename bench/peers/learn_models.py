"""Models of diffprivlib, Opacus, interpret and scikit-learn on splits that are handed over.

`python learn_models.py FOLDER`: `problem.npz` has rows and splits, `plan.json` lists what is fitted: [name, method,
ε, split, settings]. Writes the scores of held-out rows to `scores.npz`, and seconds of CPU of each fit to
`seconds.json`. Values and bounds are those declared, so that nothing is fitted to rows but by the method itself.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")
FOLDER = Path(sys.argv[1])
GIVEN = dict(np.load(FOLDER / "problem.npz"))
LOW, HIGH, SKEWED = GIVEN["low"], GIVEN["high"], GIVEN["skewed"]
DELTA, IS_REGRESSION = 1e-5, bool(GIVEN["is_regression"])
TARGET, (LEAST, MOST) = GIVEN["target"], GIVEN["ends"]


def one_hot(codes, sizes):
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    found = np.zeros((len(codes), int(np.sum(sizes))), np.float32)
    np.put_along_axis(found, codes + begins, 1, axis=1)
    return found


def dense():
    """Every value of a key as a column; numbers from 0 to 1 by their bounds, and their logarithm where skewed."""
    numbers = np.clip(GIVEN["numbers"], LOW, HIGH)
    shares = (numbers - LOW) / (HIGH - LOW)
    logs = np.log1p(numbers[:, SKEWED] - LOW[SKEWED]) / np.log1p(HIGH - LOW)[SKEWED]
    return np.hstack([one_hot(GIVEN["keys"], GIVEN["sizes"]), shares[:, ~SKEWED], logs]).astype(np.float32)


def our_bins():
    """The levels of our model, all features but the intercept."""
    return one_hot(GIVEN["bins"], GIVEN["levels"])


FEATURES = {"dense": dense, "bins": our_bins}
COLUMNS = {}


def features(of):
    if of not in COLUMNS:
        COLUMNS.clear()  # one matrix at a time
        COLUMNS[of] = FEATURES[of]()
    return COLUMNS[of]


def row_norm(of):
    """The most that a row's norm is: each key has a 1, and each number lies between 0 and 1."""
    parts = GIVEN["keys"].shape[1] + len(LOW) if of == "dense" else GIVEN["bins"].shape[1]
    return float(np.sqrt(parts))


def diffprivlib(epsilon, train, test, seed, of="dense", **settings):
    from diffprivlib.models import LinearRegression, LogisticRegression

    rows = features(of)
    if IS_REGRESSION:
        model = LinearRegression(epsilon=epsilon, bounds_X=(0, 1), bounds_y=(LEAST, MOST), random_state=seed)
        return model.fit(rows[train], TARGET[train]).predict(rows[test])
    model = LogisticRegression(epsilon=epsilon, data_norm=row_norm(of), random_state=seed, max_iter=200, **settings)
    return model.fit(rows[train].astype(float), TARGET[train].astype(int)).decision_function(rows[test])


def opacus(epsilon, train, test, seed, of="dense", epochs=10, batch=1024, rate=0.02, clip=1.0):
    """Logistic or linear regression by DP-SGD with Adam; targets of a regression lie between -1 and 1."""
    import torch
    from opacus import PrivacyEngine
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rows = torch.from_numpy(features(of))
    if IS_REGRESSION:
        target = torch.from_numpy(((TARGET - LEAST) / (MOST - LEAST) * 2 - 1).astype(np.float32))[:, None]
        model, loss = nn.Linear(rows.shape[1], 1), nn.MSELoss()
    else:
        target, model, loss = torch.from_numpy(TARGET.astype(int)), nn.Linear(rows.shape[1], 2), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    loader = DataLoader(TensorDataset(rows[train], target[train]), batch_size=batch)
    model, optimizer, loader = PrivacyEngine(accountant="prv" if epsilon < 0.2 else "rdp").make_private_with_epsilon(
        module=model,
        optimizer=optimizer,
        data_loader=loader,
        target_epsilon=epsilon,
        target_delta=DELTA,
        epochs=epochs,
        max_grad_norm=clip,
    )
    for _ in range(epochs):
        for given, wanted in loader:
            optimizer.zero_grad()
            loss(model(given), wanted).backward()
            optimizer.step()
    with torch.no_grad():
        said = model(rows[test]).numpy()
    return (said[:, 0] + 1) / 2 * (MOST - LEAST) + LEAST if IS_REGRESSION else said[:, 1] - said[:, 0]


def dp_ebm(epsilon, train, test, seed, rate=0.01, rounds=300, leaves=3):
    """interpret's model on raw columns: it chooses bins itself, by a part of the price."""
    from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor

    numbers, keys = GIVEN["numbers"], GIVEN["keys"]
    rows = np.hstack([numbers.astype(object), keys.astype(str).astype(object)])
    settings = {
        "feature_types": ["continuous"] * numbers.shape[1] + ["nominal"] * keys.shape[1],
        "privacy_bounds": dict(enumerate(zip(LOW, HIGH, strict=True))),
        "epsilon": epsilon,
        "delta": DELTA,
        "n_jobs": 1,
        "learning_rate": rate,
        "max_rounds": rounds,
        "max_leaves": leaves,
    }
    if IS_REGRESSION:
        model = DPExplainableBoostingRegressor(privacy_target_min=LEAST, privacy_target_max=MOST, **settings)
        return model.fit(rows[train], TARGET[train]).predict(rows[test])
    model = DPExplainableBoostingClassifier(**settings).fit(rows[train], TARGET[train].astype(int))
    return model.predict_proba(rows[test])[:, 1] - 0.5


def plain(_, train, test, seed, of="dense"):
    """Logistic or linear regression without privacy."""
    from sklearn.linear_model import LogisticRegression, Ridge

    rows = features(of)
    if IS_REGRESSION:
        return Ridge(alpha=1e-6).fit(rows[train], TARGET[train]).predict(rows[test])
    return LogisticRegression(max_iter=300).fit(rows[train], TARGET[train]).decision_function(rows[test])


def boosting(_, train, test, seed):
    """Gradient boosting without privacy."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    rows = np.hstack([GIVEN["numbers"], GIVEN["keys"]])
    if IS_REGRESSION:
        return HistGradientBoostingRegressor(random_state=seed).fit(rows[train], TARGET[train]).predict(rows[test])
    model = HistGradientBoostingClassifier(random_state=seed).fit(rows[train], TARGET[train])
    return model.decision_function(rows[test])


METHODS = {each.__name__: each for each in (diffprivlib, opacus, dp_ebm, plain, boosting)}
scores, seconds = {}, {}
for name, method, epsilon, split, settings in json.loads((FOLDER / "plan.json").read_text()):
    begun = time.process_time()
    found = METHODS[method](epsilon, GIVEN[f"train{split}"], GIVEN[f"test{split}"], split, **settings)
    key = f"{name}|{epsilon}|{split}"
    scores[key], seconds[key] = np.asarray(found, np.float32), time.process_time() - begun
np.savez(FOLDER / "scores.npz", **scores)
(FOLDER / "seconds.json").write_text(json.dumps(seconds))
