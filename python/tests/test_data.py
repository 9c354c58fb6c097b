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

    got = fit(*typed(lambda i: pd.array(i, dtype="Int64"), lambda j: pd.array([f"c{x}" for x in j], dtype="string"))).complete()
    assert got["row"].dtype == "Int64" and got["column"].dtype == "string"


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
        (lambda r, f: (r.iloc[:0], f), "has no entries", None),
        (lambda r, f: (r, f.iloc[:0]), "has no rows", None),
        (lambda r, f: (r, f[["item"]]), "there is no feature: it has one column", None),
        (lambda r, f: (r, f.assign(g=f["f1"]).rename(columns={"g": "f0"})), "two columns are called 'f0'", None),
        (lambda r, f: (r.assign(row=[(x, 1) for x in r["row"]]), f), "cannot be understood", None),
        (lambda r, f: (r.assign(row=r.index + 0.5), f), "not whole", None),
        (lambda r, f: (r, f.drop(columns=f.columns[0]) + 0.5), "the first column, .*, is taken as the ids, but numbers that are not whole are no ids .make the ids the index", None),
        (lambda r, f: ("no/such/file.csv", f), "there is no such file", None),
    ],
)
def test_bad_input_names_the_place_and_the_remedy(frames, change, match, row):
    with pytest.raises(oc.OptCompleteError, match=match) as e:
        oc.MatrixCompleter(k=2).fit(*change(*frames))
    assert e.value.row == row and "--" not in str(e.value)


def test_a_fault_of_a_matrix_names_the_cell(wide, pd):
    a, b = wide
    sparse = pytest.importorskip("scipy.sparse")
    i, j = np.nonzero(~np.isnan(a))
    bad = a.copy()
    bad[3, 5] = np.inf
    labelled = pd.DataFrame(bad, index=[f"r{x}" for x in range(len(a))], columns=[f"c{x}" for x in range(a.shape[1])])
    twice = sparse.coo_array((np.append(a[i, j], 1), (np.append(i, i[7]), np.append(j, j[7]))), shape=a.shape)
    for x, row, column, match in (
        (bad, 3, 5, "not a finite number"),
        (labelled, "r3", "c5", "not a finite number"),
        (sparse.csr_array((np.where((i == 3) & (j == j[i == 3][0]), np.inf, a[i, j]), (i, j)), shape=a.shape), 3, j[i == 3][0], "not a finite number"),
        (twice, i[7], j[7], "is stored twice"),
    ):
        with pytest.raises(oc.OptCompleteError, match=match) as e:
            fit(x, pd.DataFrame(b, index=labelled.columns) if x is labelled else b)
        assert (e.value.row, e.value.column) == (row, column), str(e.value)
    for x, match in ((np.full((3, 25), np.nan), "all of it is missing"), (np.zeros(3), "1 dimensions"), (np.array([["a"]], dtype=object), "does not hold numbers")):
        with pytest.raises(oc.OptCompleteError, match=match):
            fit(x, b)


def test_what_else_a_frame_holds_does_not_matter(frames, model):
    ratings, features = frames
    more = ratings.assign(note=[{"any": "thing"}, 3, "x"] * (len(ratings) // 3) + [None] * (len(ratings) % 3))
    assert fit(more, features).certificate_.cost == model.certificate_.cost


def test_a_wide_frame_whose_first_column_is_the_ids(wide, pd, model):
    a, b = wide
    pl = pytest.importorskip("polars")
    names = [f"c{x}" for x in range(a.shape[1])]
    frame = pd.DataFrame(a, columns=names)
    frame.insert(0, "who", [f"r{x}" for x in range(len(a))])
    features = pd.DataFrame(b, index=names)
    for x in (frame, pl.from_pandas(frame), pl.from_pandas(frame).to_arrow()):
        got = oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(x, features, wide=True)
        assert got.certificate_.cost == pytest.approx(model.certificate_.cost, rel=1e-12)
    with pytest.raises(oc.OptCompleteError, match="column 'c1' of a wide frame"):
        oc.MatrixCompleter(k=2).fit(frame.assign(c1="x"), features, wide=True)


def test_bad_settings(frames):
    for settings, match in (({"gamma": float("nan")}, "gamma is nan"), ({"time_limit": -1}, "time_limit"), ({"progress": "loud"}, "progress is 'loud'"), ({"k": 2.5}, "whole number")):
        with pytest.raises(oc.OptCompleteError, match=match):
            oc.MatrixCompleter(**{"k": 2, **settings}).fit(*frames)
    for always in (np.array(["f1"]), ("f1",), {"f1"}, "f1"):
        assert "f1" in oc.MatrixCompleter(k=2, gamma=5, model="paper", always=always).fit(*frames).selected_
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


def test_yes_and_no_are_values(frames):
    ratings, features = frames
    value = ratings.columns[2]
    liked = ratings.assign(**{value: (ratings[value] > ratings[value].mean()).astype(float)})
    said = liked.assign(**{value: liked[value].map({1.0: "Yes", 0.0: "no"})})
    one, other = (oc.MatrixCompleter(k=1, gamma=0.1).fit(x, features) for x in (liked, said))
    assert one.summary_["loss"] == "logistic" and one.certificate_.cost == other.certificate_.cost


def test_messages_name_arguments_of_python():
    ratings = {"row": ["a", "b", "c", "a"], "column": ["x", "y", "z", "y"], "value": [1.0, 2, 3, 4]}
    pd = pytest.importorskip("pandas")
    with pytest.raises(oc.OptCompleteError, match="drop_unknown=True") as e:
        oc.MatrixCompleter(k=1, gamma=1).fit(pd.DataFrame(ratings), pd.DataFrame({"column": ["x", "y"], "a": [1.0, 2]}))
    assert "Settings." not in str(e.value) and "--" not in str(e.value)


def test_features_as_an_array_beside_a_numpy_file(wide, tmp_path):
    a, b = wide
    np.save(tmp_path / "ratings.npy", a)
    of_file, of_array = fit(str(tmp_path / "ratings.npy"), b), fit(a, b)
    assert of_file.selected_ == of_array.selected_ and of_file.certificate_.cost == of_array.certificate_.cost
