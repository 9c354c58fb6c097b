"""Weights of entries, from every kind of data."""

from __future__ import annotations

import numpy as np
import pytest

import optcomplete as oc


@pytest.fixture(scope="module")
def weighted(frames):
    ratings, features = frames
    rng = np.random.default_rng(3)
    return ratings, features, rng.integers(1, 5, len(ratings)) / 2


def fitted(*data, **settings):
    fit = {name: settings.pop(name) for name in ("sample_weight",) if name in settings}
    return oc.MatrixCompleter(k=2, gamma=1, column_shrinkage=2, **settings).fit(*data, **fit)


def test_a_column_an_argument_and_a_name_are_the_same(weighted):
    ratings, features, w = weighted
    plain = fitted(ratings, features)
    want = fitted(ratings, features, sample_weight=w)
    assert want.summary_["weighted"] and "weighted" not in plain.summary_
    assert want.certificate_.cost != plain.certificate_.cost
    for m in (fitted(ratings.assign(Weight=w), features), fitted(ratings.assign(mass=w, weight=7), features, weight="mass")):
        assert m.certificate_.cost == want.certificate_.cost and m.selected_ == want.selected_
    ignored = fitted(ratings.assign(weight=w), features, weight="none")
    assert ignored.certificate_.cost == pytest.approx(plain.certificate_.cost) and "weighted" not in ignored.summary_


def test_a_matrix_has_weights_of_its_shape(wide):
    sparse = pytest.importorskip("scipy.sparse")
    a, b = wide
    w = np.random.default_rng(1).integers(1, 4, a.shape).astype(float)
    want = fitted(a, b, sample_weight=w)
    seen = ~np.isnan(a)
    assert fitted(a, b, sample_weight=w[seen]).certificate_.cost == want.certificate_.cost
    coo = sparse.coo_array((a[seen], np.nonzero(seen)), shape=a.shape)
    for given in (w, w[seen]):
        assert fitted(coo, b, sample_weight=given).certificate_.cost == want.certificate_.cost
    assert fitted(a, b).certificate_.cost != want.certificate_.cost


def test_scores_are_weighted_too(weighted):
    ratings, features, w = weighted
    m = fitted(ratings, features, sample_weight=w)
    scored = m.evaluate(ratings, sample_weight=w, resamples=0)
    error = np.asarray(m.predict(ratings)) - ratings.iloc[:, 2].to_numpy()
    assert scored["weighted"] and scored["rmse"]["value"] == pytest.approx(np.sqrt(np.average(error**2, weights=w)))
    assert "weighted" not in m.evaluate(ratings, resamples=0)
    assert m.score(ratings, sample_weight=w) == pytest.approx(scored["r2"]["value"])
    again = m.fold_in(ratings.iloc[:40], sample_weight=w[:40])
    assert again.evaluate(ratings.assign(weight=w), resamples=0)["weighted"]
    paths = [oc.path(r, features, k_max=2, gamma=1, folds=2, **given) for r, given in ((ratings.assign(weight=w), {}), (ratings, {"sample_weight": w}), (ratings, {}))]
    assert [p["cost"] for p in paths[0].points] == [p["cost"] for p in paths[1].points]
    assert [p["cost"] for p in paths[0].points] != [p["cost"] for p in paths[2].points]


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_rows_of_a_table_have_weights(loss):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((80, 6))
    y = X[:, 0] - 0.5 * X[:, 3] + rng.standard_normal(80)
    if loss == "logistic":
        y = (y > 0).astype(float)
    w = rng.integers(0, 4, 80)

    def of(*data, **given):
        return oc.BestSubset(k=2, gamma=1, loss=loss, refit="ridge").fit(*data, **given)

    m, repeated = of(X, y, sample_weight=w), of(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert m.selected_ == repeated.selected_ and m.certificate_.status == "optimal"
    assert not np.allclose(m.coef_, of(X, y).coef_)
    assert np.array_equal(of(X, y, sample_weight=np.ones(80)).coef_, of(X, y).coef_)
    for bad, says in ((-w, "no weights"), (w[:-1], "each of the 80 rows"), (["a"] * 80, "does not hold numbers")):
        with pytest.raises(oc.OptCompleteError, match=says):
            of(X, y, sample_weight=bad)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (lambda w: -w, "the weight is"),
        (lambda w: np.where(w > 1, np.nan, w), "the weight is NaN"),
        (lambda w: w[:-1], "give a weight for each of the"),
        (lambda w: [["a"]], "does not hold numbers"),
    ],
)
def test_what_is_no_weight_is_refused(weighted, weights, says):
    ratings, features, w = weighted
    with pytest.raises(oc.OptCompleteError, match=says):
        fitted(ratings, features, sample_weight=weights(w))


def test_a_column_that_is_not_there(weighted, tmp_path):
    ratings, features, w = weighted
    with pytest.raises(oc.OptCompleteError, match="no column 'mass' of weights"):
        fitted(ratings, features, weight="mass")
    ratings.to_csv(tmp_path / "r.csv", index=False)
    with pytest.raises(oc.OptCompleteError, match="beside a file"):
        fitted(tmp_path / "r.csv", features, sample_weight=w)
