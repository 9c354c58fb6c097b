"""What frames hold arrives, and comes back with its types."""

from __future__ import annotations

import numpy as np
import pytest

import optcomplete as oc


@pytest.fixture
def typed(pd, wide):
    a, b = wide
    i, j = np.nonzero(~np.isnan(a))
    return lambda rows, columns: (
        pd.DataFrame({"row": rows(i), "column": columns(j), "value": a[i, j]}),
        pd.DataFrame({"id": columns(np.arange(len(b))), **{f"f{x}": b[:, x] for x in range(b.shape[1])}}),
    )


def fit(ratings, features):
    return oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(ratings, features)


def test_ids_keep_their_types(typed, pd):
    got = fit(*typed(lambda i: i.astype(np.int32) + 100, lambda j: j)).complete()
    assert got["row"].dtype == np.int32 and got["column"].dtype == np.int64 and got["row"].min() == 100

    names = [f"u{x}" for x in range(60)]
    got = fit(*typed(lambda i: pd.Categorical.from_codes(i, names, ordered=True), lambda j: j)).complete()
    assert isinstance(got["row"].dtype, pd.CategoricalDtype) and list(got["row"].cat.categories) == names and got["row"].cat.ordered

    days = pd.date_range("2020-01-01", periods=60)
    got = fit(*typed(lambda i: days[i], lambda j: j)).complete(wide=True)
    assert got.index.min() == days[0] and got.shape == (60, 25)

    got = fit(*typed(lambda i: i.astype(float), lambda j: j)).recommend([3.0], n=1)
    assert got["row"].tolist() == [3]


def test_a_category_of_numbers_is_no_number(pd, wide):
    a, b = wide
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 3, len(b))
    features = pd.DataFrame({"f1": b[:, 1], "kind": pd.Categorical(kind)})
    features["kind"] = features["kind"].astype("category")
    m = oc.MatrixCompleter(k=2, gamma=1).fit(a, features.reset_index())
    text = oc.run("features", features.reset_index(), json=True).json
    kinds = {f["name"]: f["type"] for f in text["fields"]}
    assert kinds["kind"] == "text" and kinds["f1"] == "numeric"
    assert m.summary_["features"] >= 3


def test_lists_dates_and_blanks(pd, wide):
    a, b = wide
    n = len(b)
    features = pd.DataFrame({
        "id": np.arange(n),
        "genres": [["drama"], ["comedy", "drama"], None, [], ["war"]] * (n // 5),
        "released": pd.to_datetime(["2001-05-01", "2002-06-01", None, "2004-01-01", "2005-02-01"] * (n // 5)),
        "size": [1.5, np.nan, 2.0, 3.0, 4.0] * (n // 5),
        "seen": [True, False, True, True, None] * (n // 5),
        "name": [f"some {x}" for x in range(n)],
    })
    fields = {f["name"]: f for f in oc.run("features", features, json=True).json["fields"]}
    assert fields["genres"]["type"] == "list" and fields["released"]["type"] == "date"
    assert fields["seen"]["type"] == "indicator" and fields["size"]["type"] == "numeric" and fields["size"]["blanks"] == n // 5
    m = oc.MatrixCompleter(k=2, gamma=1).fit(a, features)
    assert len(m.selected_) == 2


def test_polars_comes_back_as_polars(frames):
    pl = pytest.importorskip("polars")
    ratings, features = frames
    m = fit(pl.from_pandas(ratings), pl.from_pandas(features))
    assert isinstance(m.recommend("r1", n=2), pl.DataFrame)
    assert isinstance(m.set_output(transform="arrow").complete(rows=["r1"]), __import__("pyarrow").Table)


@pytest.mark.parametrize(
    ("change", "match", "row"),
    [
        (lambda r, f: (r.assign(value=r["value"].where(r.index != 7)), f), "value is blank", 7),
        (lambda r, f: (r.assign(row=r["row"].where(r.index != 9, "")), f), "row id is empty", 9),
        (lambda r, f: (r.assign(column=r["column"].where(r.index != 4, "c99")), f), 'column "c99" is not in', 4),
        (lambda r, f: (r.iloc[[0, 1, 2, 1]].reset_index(drop=True), f), 'was already given on row 1', 3),
        (lambda r, f: (r, f.iloc[[0, 1, 1]]), 'id "c1" was already given', 2),
        (lambda r, f: (r.assign(value="x"), f), "not numbers", None),
        (lambda r, f: (r[["row", "value"]], f), "has 2 columns where 3 are needed", None),
        (lambda r, f: (r.assign(row=r["row"].where(r.index != 3, 3)), f), "one type", None),
        (lambda r, f: (42, f), "is a int", None),
        (lambda r, f: ("no/such/file.csv", f), "there is no such file", None),
    ],
)
def test_bad_input_names_the_place_and_the_remedy(frames, change, match, row):
    with pytest.raises(oc.OptCompleteError, match=match) as e:
        oc.MatrixCompleter(k=2).fit(*change(*frames))
    assert e.value.row == row and "--" not in str(e.value)


def test_bad_settings(frames):
    with pytest.raises(oc.OptCompleteError, match="gap is 7, but must be"):
        oc.MatrixCompleter(k=2, gap=7).fit(*frames)
    with pytest.raises(oc.OptCompleteError, match="how many features"):
        oc.MatrixCompleter().fit(*frames)
    with pytest.raises(oc.OptCompleteError, match="not a setting"):
        oc.MatrixCompleter().set_params(kk=3)
    with pytest.raises(ValueError, match="features"):
        oc.MatrixCompleter(k=2).fit(frames[0])


def test_drop_unknown_and_missing_words(frames):
    ratings, features = frames
    with pytest.warns(oc.OptCompleteWarning, match="left out"):
        m = oc.MatrixCompleter(k=2, gamma=5, drop_unknown=True).fit(ratings, features.iloc[:20])
    assert m.summary_["columns"] == 20
    holes = ratings.assign(value=ratings["value"].where(ratings.index != 7))
    with pytest.warns(oc.OptCompleteWarning, match="missing"):
        oc.MatrixCompleter(k=2, gamma=5, missing=[""]).fit(holes, features)
