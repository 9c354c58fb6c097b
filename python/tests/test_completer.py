"""MatrixCompleter against the real program."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

import optcomplete as oc
from optcomplete._binary import binary


def test_fit_finds_the_truth_and_proves_it(model):
    assert model.selected_ == ["f1", "f4"]
    c = model.certificate_
    assert c.status == "optimal" and c.certified and c.bound <= c.cost and c.gap < 1e-6
    assert isinstance(c.near_ties, list) and "proven optimal" in c.proof


def test_same_as_the_command_line(model, frames, tmp_path):
    ratings, features = frames
    ratings.to_csv(tmp_path / "r.csv", index=False)
    features.to_csv(tmp_path / "f.csv", index=False)
    out = subprocess.run(
        [binary(), "fit", "r.csv", "--features", "f.csv", "-k", "2", "--model", "paper", "--gamma", "5", "--json", "--quiet"],
        cwd=tmp_path, capture_output=True, check=True,
    )
    summary = json.loads(out.stdout)
    for name in ("selected", "cost", "bound", "gap", "near_ties", "cuts", "nodes"):
        assert summary[name] == model.summary_[name]


def test_every_form_of_the_same_entries(wide, frames, pd, model, tmp_path):
    a, b = wide
    ratings, features = frames
    pl, sparse = pytest.importorskip("polars"), pytest.importorskip("scipy.sparse")
    i, j = np.nonzero(~np.isnan(a))
    frame = pd.DataFrame(a, index=[f"r{x}" for x in range(len(a))], columns=[f"c{x}" for x in range(a.shape[1])])
    ratings.to_csv(tmp_path / "r.csv", index=False)
    forms = {
        "polars": (pl.from_pandas(ratings), pl.from_pandas(features)),
        "arrow": (pl.from_pandas(ratings).to_arrow(), pl.from_pandas(features).to_arrow()),
        "wide frame": (frame, features.set_index("item")),
        "path": (tmp_path / "r.csv", features),
        "array": (a, b),
        "csr": (sparse.csr_matrix((a[i, j], (i, j)), shape=a.shape), b),
        "csc": (sparse.csc_array((a[i, j], (i, j)), shape=a.shape), b),
        "other names": (ratings.rename(columns={"row": "user", "column": "film", "value": "stars"}), features),
    }
    for name, (r, f) in forms.items():
        got = oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(r, f)
        assert got.certificate_.cost == pytest.approx(model.certificate_.cost, rel=1e-12), name
        assert [s[1:] for s in got.selected_] == ["1", "4"], name


def test_predict(model, frames):
    ratings, _ = frames
    values = model.predict(ratings[["row", "column"]])
    assert np.abs(values - ratings["value"]).mean() < 0.02
    assert np.array_equal(model.predict(list(zip(ratings["row"], ratings["column"]))), values)
    values, basis = model.predict([("r1", "c1"), ("nobody", "c1")], return_basis=True)
    assert list(basis) == ["known", "new row"] and np.isfinite(values).all()
    values = model.predict([("nobody", "c1"), ("r1", "c1"), ("nobody", "c2"), ("r1", "c1")], skip_unknown=True)
    assert np.isnan(values).tolist() == [True, False, True, False] and values[1] == values[3]
    assert len(model.predict([])) == 0


def test_predict_interval(frames):
    described = {v["verb"]: v for v in json.loads(subprocess.run([binary(), "serve", "--describe"], capture_output=True, check=True).stdout)["verbs"]}
    if not any(s["name"] == "interval" for s in described["predict"]["settings"]):
        pytest.skip("the program has no intervals yet")
    ratings, _ = frames
    m = oc.MatrixCompleter(k=2, gamma=5).fit(*frames)
    pairs = ratings[["row", "column"]]
    low, high = m.predict_interval(pairs, 90).T
    inside = (low <= ratings["value"]) & (ratings["value"] <= high)
    assert (low < high).all() and inside.mean() > 0.8
    narrow = m.predict_interval(pairs, 50)[:, 0]
    assert (narrow >= low).all() and (narrow > low).mean() > 0.9  # those at the end of the values' range are cut


def test_a_new_column_by_its_features(model, frames):
    _, features = frames
    new = features.iloc[[3]].assign(item="new")
    value, basis = model.predict([("r1", "new")], features=new, return_basis=True)
    assert list(basis) == ["new column"] and value[0] == pytest.approx(model.predict([("r1", "c3")])[0], abs=1e-9)
    with pytest.warns(oc.OptCompleteWarning, match="features"):
        model.predict([("r1", "unheard of")])


def test_complete(model, wide, frames, pd):
    a, b = wide
    long = model.complete()
    assert list(long.columns) == ["row", "column", "value"] and len(long) == a.size
    some = model.complete(rows=["r1", "r7"])
    assert set(some["row"]) == {"r1", "r7"}
    kept = model.complete(mark_observed=True, keep_observed=frames[0]).merge(frames[0], on=["row", "column"])
    assert (kept["observed"] == 1).all() and (kept["value_x"] == kept["value_y"]).all() and len(kept) == len(frames[0])
    with pytest.raises(oc.OptCompleteError, match="'nobody' is not in the model"):
        model.complete(rows=["nobody"])
    holes = a.copy()
    holes[5] = np.nan  # a row without an entry is completed, too
    full = oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(holes, b).complete()
    assert full.shape == a.shape and np.isfinite(full).all()
    frame = pd.DataFrame(a, index=pd.Index([f"r{x}" for x in range(len(a))][::-1]), columns=[f"c{x}" for x in range(a.shape[1])][::-1])
    got = oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(frame, pd.DataFrame(b, index=frame.columns)).complete()
    assert list(got.index) == list(frame.index) and list(got.columns) == list(frame.columns)
    assert np.nanmean(np.abs(got.to_numpy() - frame.to_numpy())) < 0.02


def test_recommend(model, frames):
    ratings, _ = frames
    got = model.recommend("r1", n=3)
    assert list(got["rank"]) == [1, 2, 3] and set(got["row"]) == {"r1"}
    assert not set(got["column"]) & set(ratings[ratings["row"] == "r1"]["column"])
    many = model.recommend([f"r{x}" for x in range(30)], n=2)
    assert len(many) == 60
    assert many[many["row"] == "r1"]["column"].tolist() == got["column"].tolist()[:2]
    assert len(model.recommend(n=1)) == ratings["row"].nunique()
    assert len(model.recommend("r1", n=30, keep_seen=True)) == 25


def test_rows_in_the_order_and_number_that_were_asked_for(model):
    few, many = ["r7", "r1", "r7"], [f"r{x}" for x in reversed(range(30))]
    for rows in (few, many, [*many, "nobody"]):
        once = list(dict.fromkeys(rows))
        assert list(dict.fromkeys(model.recommend(rows, n=2)["row"])) == once
    assert list(dict.fromkeys(model.complete(rows=few)["row"])) == ["r7", "r1"]
    for nothing in (model.recommend([], n=2), model.complete(rows=[])):
        assert len(nothing) == 0 and "row" in nothing.columns


def test_questions_that_have_no_answer(model, frames, tmp_path):
    ratings, _ = frames
    assert np.array_equal(model.predict(zip(["r1", "r2"], ["c1", "c2"])), model.predict([("r1", "c1"), ("r2", "c2")]))
    for level in (0, 0.9, 100, -5):
        with pytest.raises(oc.OptCompleteError, match="per cent"):
            model.predict_interval([("r1", "c1")], level)
    with pytest.raises(oc.OptCompleteError, match="list of pairs"):
        model.predict(("r1", "c1"))
    assert np.isnan(model.score(ratings.head(1))) and model.score(ratings.head(5).assign(value=1.0)) == 0
    with pytest.raises(oc.OptCompleteError, match="not fitted"):
        oc.MatrixCompleter(k=2).predict([("r1", "c1")])
    (tmp_path / "file").write_text("mine")
    with pytest.raises(oc.OptCompleteError, match="is a file"):
        model.save(tmp_path / "file")
    with pytest.raises(oc.OptCompleteError, match="cannot be written"):
        model.save(tmp_path / "file" / "model")
    model.save(tmp_path / "model")
    with pytest.raises(oc.OptCompleteError, match="loaded"):
        oc.MatrixCompleter.load(tmp_path / "model").plot_gap()


def test_explain_and_report(model):
    e = model.explain("r1", "c1")
    assert e["row"] == "r1" and "prediction" in str(e)
    assert [t["name"] for t in model.explain()["terms"]] == model.selected_
    page = model.report()
    assert "<html" in page.html.lower() and "iframe" in page._repr_html_()
    named = model.report(names={"id": [f"c{x}" for x in range(25)], "title": [f"The film {x}" for x in range(25)]})
    assert "The film 1" in named.html
    text = model._repr_html_()
    assert "f1" in text and "proven optimal" in text
    assert "MatrixCompleter" in oc.MatrixCompleter(k=3)._repr_html_()


def test_fold_in(model, frames, pd):
    ratings, _ = frames
    new = ratings[ratings["row"] == "r2"].assign(row="twin")
    bigger = model.fold_in(new)
    assert bigger.predict([("twin", "c1")])[0] == pytest.approx(model.predict([("r2", "c1")])[0], abs=1e-6)
    assert model.predict([("twin", "c1")], return_basis=True)[1][0] == "new row"
    assert len(bigger.recommend("twin", n=2)) == 2
    heavy = new.assign(row="heavy", mass=[100.0] + [1e-3] * (len(new) - 1))
    by = model.recommend("heavy", n=3, ratings=heavy, weight="mass")["prediction"].tolist()
    assert by == model.fold_in(heavy, weight="mass").recommend("heavy", n=3)["prediction"].tolist()
    assert by != model.recommend("heavy", n=3, ratings=heavy)["prediction"].tolist()


def test_evaluate_and_score(model, frames):
    ratings, _ = frames
    assert model.score(ratings) > 0.99
    got = model.evaluate(ratings.head(200), resamples=10)
    assert got["errors"]["rmse"] if "errors" in got else got


def test_save_and_load(model, tmp_path, frames):
    ratings, _ = frames
    model.save(tmp_path / "model")
    model.save(tmp_path / "model")  # replaces
    again = oc.MatrixCompleter.load(tmp_path / "model")
    pairs = ratings[["row", "column"]].head(20)
    assert np.array_equal(again.predict(pairs), model.predict(pairs)) and again.selected_ == model.selected_
    assert again.get_params() == {**model.get_params(), "progress": None}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "precious.txt").write_text("mine")
    with pytest.raises(oc.OptCompleteError, match="something else"):
        model.save(tmp_path / "other")
    assert (tmp_path / "other" / "precious.txt").exists()
    with pytest.raises(oc.OptCompleteError, match="not a saved model"):
        oc.MatrixCompleter.load(tmp_path / "other")


def test_path(frames):
    p = oc.path(*frames, k_max=3, model="paper", gamma=5, folds=3)
    assert p.chosen == 2 and p.selected == ["f1", "f4"] and len(p.points) == 3
    assert len(p.to_frame()) == 3 and "one standard error" in p._repr_html_()
    with pytest.raises(oc.OptCompleteError, match="k_max"):
        oc.path(*frames)
    m = oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(*frames)
    assert m.report(p).html != m.report().html


def test_two_sided(wide, frames, pd):
    a, _ = wide
    ratings, features = frames
    rows = pd.DataFrame({"row": [f"r{x}" for x in range(len(a))], "age": np.arange(len(a)) % 7.0, "size": np.arange(len(a)) % 5.0})
    m = oc.MatrixCompleter(k=2, gamma=5).fit(ratings, features, row_features=rows)
    assert len(m.selected_) == 2 and "×" in m.selected_[0]
    assert np.isfinite(m.predict(ratings[["row", "column"]].head(3))).all()
    assert [p["row_feature"] for p in m.features_] == [s.split(" × ")[0] for s in m.selected_]
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert [t.get_text() for t in m.plot_features().get_yticklabels()] == m.selected_


def test_plots(model, frames):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert model.plot_gap().get_xlabel() == "seconds"
    assert [t.get_text() for t in model.plot_features().get_yticklabels()] == model.selected_
    spread = model.plot_features()
    drawn = [x for line in spread.get_lines() for x in line.get_xdata()]
    terms = model.features_
    widest = max(abs(t["spread"]["q95"] * t["per_sd"] / t["population"]) for t in terms if t.get("spread") and t.get("per_sd"))
    assert max(map(abs, drawn)) >= 0.999 * widest and "population" in [t.get_text() for t in spread.get_legend().get_texts()]
    assert "nine tenths of the rows" in model._repr_html_() and "RMSE" in model._repr_html_()
    with pytest.raises(oc.OptCompleteError, match="gamma"):
        model.plot_spread()
    learned = oc.MatrixCompleter(k=2).fit(*frames)
    assert learned.plot_spread().get_title() == "How much rows differ" and len(learned.certificate_.other_factors) == 2
    assert {f["name"] for f in learned.feature_spread_} == set(frames[1].columns[1:])
    assert oc.path(*frames, k_max=2, model="paper", gamma=5, folds=2).plot().get_ylabel() == "RMSE"


def test_run_reaches_every_verb(frames, tmp_path):
    ratings, _ = frames
    got = oc.run("pack", ratings, output=str(tmp_path / "r.pack"), json=True)
    assert (tmp_path / "r.pack").exists() and got.json
    assert oc.run("inspect", tmp_path / "r.pack", json=True).json
    with pytest.raises(oc.OptCompleteError, match="not a verb"):
        oc.run("predictt", "x")


def test_losses(frames):
    ratings, features = frames
    liked = ratings.assign(value=ratings.value > 0)  # of truth values, and the loss is chosen by itself
    given = {"gamma": 0.5, "column_shrinkage": 2}
    m = oc.MatrixCompleter(k=2, **given).fit(liked, features)
    assert m.summary_["loss"] == "logistic" and m.selected_ == ["f1", "f4"] and m.certificate_.status == "optimal"
    pairs = ratings[["row", "column"]]
    chance, interval = m.predict(pairs), m.predict_interval(pairs, 90)
    assert ((0 < interval[:, 0]) & (interval[:, 0] < chance) & (chance < interval[:, 1]) & (interval[:, 1] < 1)).all()
    assert np.mean((chance > 0.5) == liked.value) > 0.8
    assert m.evaluate(liked)["loss"]["auc"]["value"] > 0.9
    counts = ratings.assign(value=np.round(np.exp(ratings.value)))
    m = oc.MatrixCompleter(k=2, loss="poisson", nonnegative=["f1"], **given).fit(counts, features)
    assert m.summary_["loss"] == "poisson" and (m.predict(pairs) >= 0).all() and m.summary_["train"]["deviance"] > 0
    low, high = m.predict_interval(pairs).T
    assert (low <= high).all()
    m = oc.MatrixCompleter(k=2, loss="huber", delta=0.5, **given).fit(ratings, features)
    low, high = m.predict_interval(pairs).T
    assert 0.7 < np.mean((low <= ratings.value) & (ratings.value <= high)) <= 1
    with pytest.raises(oc.OptCompleteError, match="counts, which are not negative"):
        oc.MatrixCompleter(k=2, loss="poisson").fit(ratings, features)
