"""Every option of the command line has its argument."""

from __future__ import annotations

import inspect
import json
import subprocess

import numpy as np
import pytest

import optcomplete as oc
from optcomplete._binary import binary

# How an option is reached in Python, where it is not an argument of its own name.
everywhere = {
    "quiet": "progress=False",
    "config": "settings are Python: MatrixCompleter(**settings)",
    "print-config": "get_params()",
    "log-times": "for logs that are compared",
    "threads": "an argument of the estimator: questions to a model are short",
    "seed": "an argument of the estimator",
    "json": "answers are objects",
    "output": "answers are objects",
    "raw-names": "names come as they are",
    "memory": "an argument of the estimator, and of run for any verb",
    "watch": "of the command line: it stays until Ctrl-C",
}
reading = {name: "of files: give a frame, or read them with run" for name in ("row-name", "column-name", "value-name", "delimiter", "format")}
cluster = {name: "of the command line, where the data of a cluster are" for name in ("engine", "engine-program", "engine-from", "engine-tasks", "engine-folder")}
elsewhere = {
    "fit": {"features": "fit(features=)", "row-features": "fit(row_features=)", "report": "report()", "names": "report(names=)"},
    "path": {"features": "path(features)", "row-features": "path(row_features=)", "plot": "Path.plot()"},
    "regress": {"target": "fit(y)", "skip": "leave them out of X", "path": "BestSubset(k) for each k", "bootstrap": "of a path", "report": "the command line's", **{name: "X is numbers: encode text in a pipeline" for name in ("field", "max-levels", "separator", "blank")}},
    "predict": {"interval": "predict_interval(level=)"},
    "complete": {**cluster, "shards": "of the command line, for files too large for one"},
    "recommend": {"row": "rows", "all": "rows=None", "top": "n"},
    "explain": {},
    "report": {},
    "evaluate": {**reading, **cluster, "drift": "of the command line, for jobs that go by its exit code"},
    "fold-in": {**reading, "pairs": "fold_in().predict()", "complete": "fold_in().complete()", "skip-unknown": "fold_in().predict(skip_unknown=)"},
}
methods = {
    "fit": oc.MatrixCompleter.__init__,
    "path": oc.path,
    "regress": oc.BestSubset.__init__,
    "predict": oc.MatrixCompleter.predict,
    "complete": oc.MatrixCompleter.complete,
    "recommend": oc.MatrixCompleter.recommend,
    "explain": oc.MatrixCompleter.explain,
    "report": oc.MatrixCompleter.report,
    "evaluate": oc.MatrixCompleter.evaluate,
    "fold-in": oc.MatrixCompleter.fold_in,
}


@pytest.fixture(scope="module")
def described():
    out = subprocess.run([binary(), "serve", "--describe"], capture_output=True, check=True)
    return {v["verb"]: {s["name"]: s for s in v["settings"]} for v in json.loads(out.stdout)["verbs"]}


@pytest.mark.parametrize("verb", list(methods))
def test_every_option_is_an_argument(described, verb):
    arguments = set(inspect.signature(methods[verb]).parameters)
    for name in described[verb]:
        if name.replace("-", "_") not in arguments:
            assert name in elsewhere[verb] or name in everywhere, f"{verb} --{name} has no argument"
    for name in elsewhere[verb]:
        assert name in described[verb] or name == "interval", f"{verb} --{name} is gone"


@pytest.mark.parametrize("verb", ["fit", "path", "regress"])
def test_no_argument_without_an_option(described, verb):
    for name, p in inspect.signature(methods[verb]).parameters.items():
        if name in ("self", "progress", "ratings", "features", "row_features", "sample_weight"):
            continue
        setting = described[verb][name.replace("_", "-")]
        if setting.get("default") and setting["type"] not in ("switch",):
            own = {("fit", "search_time"): "60s", ("regress", "search_time"): "10s"}.get((verb, name))
            assert str(p.default) == (own or setting["default"]), name


def test_arguments_reach_the_program(frames):
    m = oc.MatrixCompleter(k=2, model="pooled", gamma=2.5, near_ties=2, holdout=0.25, seed=9, always=["f1"], gamma0=3).fit(*frames)
    s = m.summary_
    assert (s["model"], s["gamma"], s["seed"], s["gamma0"]) == ("pooled", 2.5, 9, 3)
    assert len(s["near_ties"]) <= 2 and "f1" in m.selected_ and s["holdout"]["entries"] > 0


def test_the_version_is_the_programs():
    out = subprocess.run([binary(), "--version"], capture_output=True, text=True, check=True).stdout
    assert oc.__version__ == "0" or oc.__version__ in out.replace("-rc.", "rc")


def test_a_frame_is_split_by_its_times(frames):
    ratings, features = frames
    when = ratings.assign(seen=np.arange(len(ratings)) + 1.6e9)
    m = oc.MatrixCompleter(k=2, gamma=1, holdout=0.25, split="time", time_name="seen").fit(when, features)
    held = m.summary_["holdout"]["entries"]
    assert held == int(0.25 * len(ratings) + 0.5) and m.summary_["time_split"]["from"] == 1.6e9 + len(ratings) - held
    assert m.evaluate(when, split="time")["entries"] == held
    p = oc.path(when.rename(columns={"seen": "timestamp"}), features, k_max=2, gamma=1, folds=2, split="time")
    assert len(p.points) == 2
