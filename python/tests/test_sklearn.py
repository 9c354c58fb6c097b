"""BestSubset and MatrixCompleter as scikit-learn has them."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import optcomplete as oc
from optcomplete._binary import binary

pytest.importorskip("sklearn")
pd = pytest.importorskip("pandas")
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

# What is not checked, and why. Everything else must pass.
SKIPPED = {"check_array_api_input": "needs SCIPY_ARRAY_API=1 and array-api-strict"}
FAILED = {"check_sample_weight_equivalence_on_dense_data": "γ is chosen on parts of the rows, and rows that are there twice are divided in another way"}


@pytest.mark.filterwarnings("ignore")
def test_check_estimator():
    for result in check_estimator(oc.BestSubset(), on_fail=None, on_skip=None):
        if result["check_name"] in FAILED:
            assert result["status"] == "failed", result
        elif result["status"] == "skipped":
            assert result["check_name"] in SKIPPED, result
        else:
            assert result["status"] == "passed", result


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


def test_best_subset_is_the_best(diabetes):
    X, y = diabetes
    m = oc.BestSubset(k=3, gamma=1e6).fit(X, y)
    from itertools import combinations

    def error(columns):
        Z = np.column_stack([X[list(columns)], np.ones(len(X))])
        r = y - Z @ np.linalg.lstsq(Z, y, rcond=None)[0]
        return r @ r

    best = min(combinations(X.columns, 3), key=error)
    assert set(m.selected_) == set(best) and m.certificate_.status == "optimal"
    assert np.sum((y - m.predict(X)) ** 2) == pytest.approx(error(best), rel=1e-6)
    assert list(m.get_feature_names_out()) == [c for c in X.columns if c in best]
    assert m.score(X, y) == pytest.approx(m.summary_["r_squared"], rel=1e-6)
    assert "coefficient" in m._repr_html_() and "proven optimal" in m._repr_html_()


@pytest.mark.parametrize("loss", ["squared", "logistic", "poisson", "huber"])
def test_predictions_are_the_programs(diabetes, tmp_path, loss):
    X, y = diabetes
    y = (y > 140).astype(float) if loss == "logistic" else (y // 50) if loss == "poisson" else y
    m = oc.BestSubset(k=4, gamma=2.5, loss=loss).fit(X, y)
    X.assign(target=y).to_csv(tmp_path / "t.csv", index=False)
    new = X.sample(50, random_state=1)
    new.to_csv(tmp_path / "new.csv", index=False)
    run = lambda *words: subprocess.run([binary(), *words], cwd=tmp_path, capture_output=True, check=True, text=True).stdout  # noqa: E731
    run("regress", "t.csv", "--target", "target", "-k", "4", "--gamma", "2.5", "--loss", loss, "-o", "model", "--quiet")
    run("predict", "model", "new.csv", "-o", "out.csv", "--quiet")
    got = pd.read_csv(tmp_path / "out.csv")
    np.testing.assert_allclose(m.predict(new), got["prediction"], rtol=1e-12)


def test_always_and_never(diabetes):
    X, y = diabetes
    m = oc.BestSubset(k=3, gamma=1, always=["age"], never=["bmi"]).fit(X, y)
    assert "age" in m.selected_ and "bmi" not in m.selected_
    with pytest.raises(oc.OptCompleteError, match="k"):
        oc.BestSubset(k=99).fit(X, y)


def test_grid_search_cross_validation_and_pipelines(diabetes):
    X, y = diabetes
    search = GridSearchCV(oc.BestSubset(gamma=10), {"k": [1, 3]}, cv=3).fit(X, y)
    assert search.best_params_ == {"k": 3}
    assert cross_val_score(oc.BestSubset(k=3, gamma=10), X, y, cv=3, n_jobs=2).shape == (3,)
    pipeline = make_pipeline(StandardScaler(), oc.BestSubset(k=3, gamma=10)).set_output(transform="pandas")
    assert pipeline.fit(X, y).score(X, y) > 0.4
    assert list(pipeline.transform(X).columns) == pipeline[-1].get_feature_names_out().tolist()


def test_completer_is_cloned_searched_and_validated(frames):
    ratings, features = frames
    m = oc.MatrixCompleter(k=2, model="paper", gamma=5, time_limit="60s")
    assert clone(m).get_params() == m.get_params() and "k=2" in repr(m)
    assert m.set_params(k=3).k == 3
    scores = cross_val_score(clone(m).set_params(k=2), ratings, cv=oc.EntrySplit(3), params={"features": features})
    assert scores.shape == (3,) and (scores > 0.9).all()
    search = GridSearchCV(oc.MatrixCompleter(model="paper", gamma=5), {"k": [1, 2]}, cv=oc.EntrySplit(2)).fit(ratings, features=features)
    assert search.best_params_ == {"k": 2}


def test_entry_split(frames):
    ratings, _ = frames
    splits = list(oc.EntrySplit(4, seed=3).split(ratings))
    for train, test in splits:
        assert not set(train) & set(test) and len(train) + len(test) == len(ratings)
        assert set(ratings["row"].iloc[train]) == set(ratings["row"])
    assert sum(len(test) for _, test in splits) == len(ratings) - ratings["row"].nunique()
    again = list(oc.EntrySplit(4, seed=3).split(ratings))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(splits, again))
    with pytest.raises(ValueError, match="at least 2"):
        oc.EntrySplit(1)


def test_best_subset_of_yes_and_no():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((300, 6))
    y = (rng.random(300) < 1 / (1 + np.exp(-2 * X[:, 1] + 2 * X[:, 4]))).astype(float)
    m = oc.BestSubset(k=2, gamma=1, loss="logistic").fit(X, y)
    assert list(np.flatnonzero(m.support_)) == [1, 4] and m.certificate_.status == "optimal"
    p = m.predict(X)
    assert 0 < p.min() and p.max() < 1 and m.summary_["auc"] > 0.8
    assert "loss" not in oc.BestSubset(k=2, gamma=1, loss="squared").fit(X, y).summary_
    for said in (y, y > 0, np.where(y > 0, "Yes", "no"), [str(v > 0) for v in y]):  # as on the command line
        np.testing.assert_array_equal(oc.BestSubset(k=2, gamma=1).fit(X, said).coef_, m.coef_)
    with pytest.raises(oc.OptCompleteError, match="y holds words"):
        oc.BestSubset(k=2, gamma=1).fit(X, np.where(y > 0, "perhaps", "no"))


def test_predictions_need_no_column_of_weights():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.random((40, 4)), columns=["a", "w", "b", "c"])
    m = oc.BestSubset(k=2, gamma=1, weight="w").fit(X, X["a"] - X["c"])
    for table in (X.drop(columns="w"), pl.DataFrame(X.drop(columns="w").to_dict("list"))):
        np.testing.assert_array_equal(m.predict(table), m.predict(X))
        assert "w" not in table.columns


def test_text_is_refused_with_its_column():
    X = pd.DataFrame({"z": [1.0, 2, 3, 4], "city": list("abab")})
    with pytest.raises(oc.OptCompleteError, match="column 'city' of X does not hold numbers .*regress"):
        oc.BestSubset(k=1).fit(X, [1, 2, 3, 4])


@pytest.mark.parametrize("estimator", [oc.BestSubset, oc.MatrixCompleter])
def test_what_is_not_there(estimator):
    assert not hasattr(estimator(), "predict_proba")
    with pytest.raises(AttributeError, match=f"{estimator.__name__} is no classifier .*predict gives the probability"):
        estimator().predict_proba([[1]])
    with pytest.raises(TypeError, match=f"{estimator.__name__} has no setting 'gama' .did you mean 'gamma'"):
        estimator(gama=1)
    with pytest.raises(TypeError, match="has no setting 'kk' .did you mean 'k'"):
        estimator(kk=1)
