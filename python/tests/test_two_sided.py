"""Products of features of rows and columns against a ridge on all of them, by scikit-learn."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from optcomplete._binary import binary

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")
from sklearn.linear_model import RidgeCV
from sklearn.preprocessing import StandardScaler


def expanded(entries, cells, drugs, scale=None):
    """The features of either side, and all their products, all scaled over the entries that scale is of."""
    x, b = cells.loc[entries["cell"]].to_numpy(float), drugs.loc[entries["drug"]].to_numpy(float)
    sides = scale[0] if scale else [StandardScaler().fit(x), StandardScaler().fit(b)]
    x, b = sides[0].transform(x), sides[1].transform(b)
    everything = np.column_stack([x, b, (x[:, :, None] * b[:, None, :]).reshape(len(x), -1)])
    last = scale[1] if scale else StandardScaler().fit(everything)
    return last.transform(everything), (sides, last)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_new_rows_and_columns_as_well_as_by_all_products(tmp_path, seed):
    """Of wholly new cells and drugs, k products predict at most 1 % worse than a ridge on all products, whose
    strength scikit-learn chooses by its own cross-validation."""
    run = lambda *words: subprocess.run([binary(), *words], cwd=tmp_path, capture_output=True, check=True, text=True).stdout  # noqa: E731
    run("synth", "--two-sided", "--rows", "300", "--columns", "150", "--k", "6", "--missing", "0.5", "--seed", str(seed), "-o", "made")
    entries = pd.read_csv(tmp_path / "made" / "ratings.csv")
    cells, drugs = (pd.get_dummies(pd.read_csv(tmp_path / "made" / f, index_col=0)) for f in ("row_features.csv", "features.csv"))
    rng = np.random.default_rng(seed)
    new_cell = entries["cell"].isin(rng.choice(cells.index, 60, replace=False))
    new_drug = entries["drug"].isin(rng.choice(drugs.index, 30, replace=False))
    train = entries[~new_cell & ~new_drug]
    train.to_csv(tmp_path / "train.csv", index=False)
    run("fit", "train.csv", "--features", "made/features.csv", "--row-features", "made/row_features.csv", "-k", "6", "-o", "model", "--quiet")
    known, scale = expanded(train, cells, drugs)
    ridge = RidgeCV(alphas=np.logspace(-1, 5, 25)).fit(known, train["response"])
    for name, part in (("new cells", entries[new_cell & ~new_drug]), ("new drugs", entries[~new_cell & new_drug]), ("both", entries[new_cell & new_drug])):
        part[["cell", "drug"]].to_csv(tmp_path / "pairs.csv", index=False)
        run("predict", "model", "pairs.csv", "--features", "made/features.csv", "-o", "out.csv", "--quiet")
        got = pd.read_csv(tmp_path / "out.csv")
        assert list(got.iloc[:, 0]) == list(part["cell"]) and list(got.iloc[:, 1]) == list(part["drug"])
        own = np.sqrt(np.mean((got["prediction"].to_numpy() - part["response"].to_numpy()) ** 2))
        all_products = np.sqrt(np.mean((ridge.predict(expanded(part, cells, drugs, scale)[0]) - part["response"]) ** 2))
        print(f"seed {seed}, {name}: RMSE {own:.4f} with 6 products, {all_products:.4f} by a ridge on all {cells.shape[1] * drugs.shape[1]}")
        assert own <= 1.01 * all_products
