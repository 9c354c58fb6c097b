"""Small data with a known truth, and a watch over what is left behind."""

from __future__ import annotations

import glob
import os
import tempfile

import numpy as np
import pytest

import optcomplete as oc


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than a few seconds")


@pytest.fixture(scope="session")
def pd():
    return pytest.importorskip("pandas")


def make(rows=60, columns=25, features=8, true=(1, 4), missing=0.4, seed=0):
    rng = np.random.default_rng(seed)
    b = rng.random((columns, features))
    u = rng.normal(size=(rows, len(true)))
    a = u @ b[:, list(true)].T + 0.01 * rng.normal(size=(rows, columns))
    a[rng.random(a.shape) < missing] = np.nan
    return a, b


@pytest.fixture(scope="session")
def wide():
    return make()


@pytest.fixture(scope="session")
def frames(pd, wide):
    """Long ratings with ids of text, and features with names."""
    a, b = wide
    i, j = np.nonzero(~np.isnan(a))
    ratings = pd.DataFrame({"row": [f"r{x}" for x in i], "column": [f"c{x}" for x in j], "value": a[i, j]})
    features = pd.DataFrame(b, columns=[f"f{x}" for x in range(b.shape[1])])
    features.insert(0, "item", [f"c{x}" for x in range(len(b))])
    return ratings, features


@pytest.fixture(scope="session")
def model(frames):
    return oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(*frames)


@pytest.fixture(scope="session", autouse=True)
def nothing_left():
    before = set(glob.glob(os.path.join(tempfile.gettempdir(), "optcomplete-*")))
    yield
    import gc

    gc.collect()
    for session in list(oc._session._sessions):
        session.close()
    assert set(glob.glob(os.path.join(tempfile.gettempdir(), "optcomplete-*"))) <= before
