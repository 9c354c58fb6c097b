"""Processes: interrupts, threads, forks, pickles, and none left over."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import optcomplete as oc
from optcomplete._session import Session, _sessions


def hard():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(200, 60))
    a[rng.random(a.shape) < 0.5] = np.nan
    return a, rng.random((60, 50))


def gone(pid):
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        with open(f"/proc/{pid}/stat") as f:
            if f.read().rpartition(")")[2].split()[0] == "Z":
                return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_gives_the_best_answer_so_far():
    seen = []

    def interrupt(event):
        seen.append(event)
        if event["event"] == "search" and event.get("cost") is not None and event.get("gap", 2) < 1 and not any(e == "sent" for e in seen):
            seen.append("sent")
            os.kill(os.getpid(), signal.SIGINT)

    m = oc.MatrixCompleter(k=10, gamma=1, model="paper", progress=interrupt).fit(*hard())
    c = m.certificate_
    assert c.status == "interrupted" and 0 < c.gap < 1 and c.bound <= c.cost and len(m.selected_) == 10
    assert "within" in c.proof and np.isfinite(m.predict([(0, 0)])).all()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_before_there_is_an_answer():
    def interrupt(event):
        os.kill(os.getpid(), signal.SIGINT)

    before = len(_sessions)
    with pytest.raises(KeyboardInterrupt):
        oc.MatrixCompleter(k=10, model="paper", progress=interrupt).fit(*hard())
    gc.collect()
    assert len(_sessions) <= before


def test_a_process_that_is_killed_in_a_fit():
    folders = []

    def kill(event):
        session = max((s for s in _sessions if s.alive), key=lambda s: s.process.pid)
        folders.append(session.folder)
        os.kill(session.process.pid, signal.SIGKILL)

    with pytest.raises(oc.OptCompleteError, match="ended with exit code -9") as e:
        oc.MatrixCompleter(k=10, gamma=1, model="paper", progress=kill).fit(*hard())
    assert "memory" in e.value.remedy
    del e
    gc.collect()
    assert not os.path.exists(folders[0])


def test_a_time_limit_is_not_an_error():
    m = oc.MatrixCompleter(k=10, gamma=1, model="paper", time_limit=2).fit(*hard())
    assert m.certificate_.status == "time_limit" and m.certificate_.bound < m.certificate_.cost


def test_a_search_ends_by_itself():
    from optcomplete._base import options_of

    m = oc.MatrixCompleter(k=10, gamma=1, model="paper", search_time="1ms").fit(*hard())
    assert m.certificate_.status in ("search_time", "no_proof_in_sight") and 0 < m.certificate_.bound < m.certificate_.cost
    on = oc.MatrixCompleter(k=10, gamma=1, model="paper", time_limit="none", max_nodes=2).fit(*hard())
    assert on.certificate_.status == "node_limit"
    r = np.random.default_rng(1)
    x, y = r.normal(size=(60, 40)), r.normal(size=60)
    b = oc.BestSubset(k=10, gamma=1, search_time=0.001).fit(x, y)
    assert b.certificate_.status in ("search_time", "no_proof_in_sight") and b.certificate_.bound < b.certificate_.cost
    # The classes' own times reach the program, unless a limit is given or nothing is searched.
    for made, own in ((oc.MatrixCompleter(), "60s"), (oc.BestSubset(), "10s"), (oc.MatrixCompleter(time_limit=5), None), (oc.MatrixCompleter(method="effects"), None)):
        assert options_of(made.get_params(), type(made).__init__).get("search_time") == own


def test_a_receiver_that_fails_ends_the_fit():
    def fail(event):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        oc.MatrixCompleter(k=10, gamma=1, model="paper", progress=fail).fit(*hard())


def test_a_killed_process_is_an_error_and_the_model_lives_on(frames):
    m = oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(*frames)
    want = m.predict([("r1", "c1")])
    session = m._model.session()
    folder = session.folder
    session.process.kill()
    session.process.wait()
    assert np.array_equal(m.predict([("r1", "c1")]), want)  # by another process
    del session
    gc.collect()
    assert not os.path.exists(folder)
    dead = Session()
    dead.process.kill()
    with pytest.raises(oc.OptCompleteError, match="ended with exit code"):
        dead.ask("solvers")


def test_pickle_and_copy(model):
    import copy

    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.selected_ == model.selected_ and again._model.session() is not model._model.session()
        assert np.array_equal(again.predict([("r1", "c1")]), model.predict([("r1", "c1")]))


def test_threads_share_a_model(model):
    want = [model.predict([(f"r{x}", "c1")])[0] for x in range(20)]
    got = [0.0] * 20

    def work(x):
        got[x] = model.predict([(f"r{x}", "c1")])[0]

    threads = [threading.Thread(target=work, args=(x,)) for x in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == want


def _predict(model):
    return float(model.predict([("r1", "c1")])[0])


@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
def test_multiprocessing(model, method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_predict, [model] * 4) == [_predict(model)] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_forked_process_has_its_own(model):
    want, (out, into) = _predict(model), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(into, repr(_predict(model)).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    assert float(os.read(out, 100)) == want == _predict(model)


def test_joblib(model):
    joblib = pytest.importorskip("joblib")
    assert joblib.Parallel(2)(joblib.delayed(_predict)(model) for _ in range(4)) == [_predict(model)] * 4


def test_sessions_end_with_their_models(frames):
    m = oc.MatrixCompleter(k=1, model="paper", gamma=5).fit(*frames)
    process, folder = m._model.session().process, m._model.session().folder
    assert os.path.isdir(folder)
    del m
    gc.collect()
    assert process.poll() == 0 and not os.path.exists(folder)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("how", ["exit", "kill", "kill in a fit"])
def test_no_orphans(how, tmp_path):
    code = """
import os, signal, sys, numpy as np, optcomplete as oc
from optcomplete._session import Session
s = Session()
print(s.process.pid, s.folder, flush=True)
if sys.argv[1] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1] == "kill in a fit":
    rng = np.random.default_rng(0)
    def stop(e):
        if e["event"] == "search":
            os.kill(os.getpid(), signal.SIGKILL)
    import pyarrow as pa
    a = rng.normal(size=(1500, 120))
    i, j = np.nonzero(a)
    b = rng.random((120, 100))
    f = pa.table({"id": np.arange(120), **{f"x{c}": b[:, c] for c in range(100)}})
    s.ask("fit", ["r"], {"features": "f", "k": 12, "gamma": 1, "model": "paper"}, {"r": pa.table({"row": i, "column": j, "value": a[i, j]}), "f": f}, (), stop)
"""
    run = subprocess.run([sys.executable, "-c", code, how], capture_output=True, text=True)
    pid, folder = run.stdout.split()
    assert gone(int(pid)), run.stderr
    assert not os.path.exists(folder)


@pytest.mark.parametrize(
    ("environment", "match"),
    [({"TMPDIR": "/no/such/folder"}, "set TMPDIR"), ({"OPTCOMPLETE_BINARY": sys.executable}, "check that it is the optcomplete program"), ({"OPTCOMPLETE_BINARY": os.sep}, "cannot be started")],
)
@pytest.mark.skipif(sys.platform == "win32", reason="TMPDIR")
def test_a_process_that_cannot_work_says_why(environment, match, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(oc.OptCompleteError, match=match):
        Session()


def test_without_a_console(frames, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(*frames).selected_ == ["f1", "f4"]


def test_pipes_are_closed():
    session = Session()
    session.close()
    assert session.process.stdout.closed and session.process.stderr.closed and session.process.stdin.closed


def test_nothing_is_printed_where_nobody_looks(frames, capfd):
    oc.MatrixCompleter(k=2, model="paper", gamma=5).fit(*frames)
    out, err = capfd.readouterr()
    assert out == "" and err == ""
    oc.MatrixCompleter(k=2, model="paper", gamma=5, progress="log").fit(*frames)
    assert "Certified gap" in capfd.readouterr().err
    oc.MatrixCompleter(k=2, model="paper", gamma=5, progress=True).fit(*frames)
    assert "k=2" in capfd.readouterr().err


@pytest.mark.parametrize("missing", [("tqdm", "tqdm.auto"), ("tqdm", "tqdm.auto", "rich", "rich.console")])
def test_progress_without_tqdm_or_rich(frames, capfd, monkeypatch, missing):
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    oc.MatrixCompleter(k=2, model="paper", gamma=5, progress=True).fit(*frames)
    assert "Traceback" not in capfd.readouterr().err
    assert not [s for s in _sessions if not s.alive and s.process.poll() is None]
