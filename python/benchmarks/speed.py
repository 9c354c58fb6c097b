"""What Python costs: a fit from a frame beside the command line on a pack, and how fast entries cross.

    python python/benchmarks/speed.py fit       # 10⁶ ratings, 59 features, k = 5
    python python/benchmarks/speed.py cross     # 10⁷ entries

Every figure is the least of several turns, in which the two are run one after the other; processor time is that of this
process and of the program together.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import optcomplete as oc
from optcomplete._binary import binary
from optcomplete._data import entries_of
from optcomplete._session import Session


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds of some work, whose processes end with it."""

    def used() -> float:
        return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))

    wall, processor = time.perf_counter(), used()
    work()
    return time.perf_counter() - wall, used() - processor


def compare(title: str, turns: int, command: Callable[[], object], python: Callable[[], object]) -> None:
    python()  # what is done once: imports, the pages of the program
    pairs = [(cost(command), cost(python)) for _ in range(turns)]
    for at, kind in enumerate(("wall", "processor")):
        line, frame = ([p[who][at] for p in pairs] for who in (0, 1))
        ratio = statistics.median(b / a for a, b in zip(line, frame))
        print(f"{title:34} {kind:9} command line {min(line):7.2f} s   Python {min(frame):7.2f} s   ratio {min(frame) / min(line):.3f} (median of turns {ratio:.3f})", flush=True)


def fit(folder: Path, turns: int) -> None:
    oc.run("synth", netflix="20000x2000", missing=0.975, output=str(folder))
    ratings, features = pd.read_csv(folder / "ratings.csv"), pd.read_csv(folder / "features.csv")
    pack = folder / "ratings.pack"
    oc.run("pack", ratings, output=str(pack))
    print(f"{len(ratings):,} ratings, {features.shape[1] - 1} features")
    for title, settings in {"k = 5, default settings": {"k": 5}, "k = 1, model paper, gamma 6": {"k": 1, "gamma": 6.0, "model": "paper"}}.items():
        flags = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
        model = ["-o", str(folder / "model")]

        def command() -> None:
            subprocess.run([binary(), "fit", str(pack), "--features", str(folder / "features.csv"), *flags, *model, "--json", "--quiet"], check=True, stdout=subprocess.DEVNULL)

        def python() -> None:
            m = oc.MatrixCompleter(**settings).fit(ratings, features)
            m._model.session().close()

        compare(title, turns, command, python)


def cross(turns: int) -> None:
    rng = np.random.default_rng(0)
    code = np.unique(rng.integers(0, 200_000 * 20_000, 10_100_000))
    code = rng.permutation(code)[: 10**7]
    row, column = np.divmod(code, 20_000)
    value = rng.integers(1, 6, len(code)).astype(float)
    numbers = pd.DataFrame({"row": row, "column": column, "value": value})
    rows, columns = pd.array([f"u{x}" for x in range(200_000)]), pd.array([f"c{x}" for x in range(20_000)])
    forms = {
        "whole numbers": numbers,
        "categories": numbers.assign(row=pd.Categorical.from_codes(row, rows), column=pd.Categorical.from_codes(column, columns)),
        "text": numbers.assign(row=rows[row], column=columns[column]),
        "text, as objects": numbers.assign(row=np.asarray(rows, dtype=object)[row], column=np.asarray(columns, dtype=object)[column]),
    }
    for title, frame in forms.items():

        def sent(verb: str, options: dict[str, str]) -> None:
            session = Session()
            session.ask(verb, ["ratings"] if options else [], options, {"ratings": entries_of(frame, (None, None, None), None).source})
            session.close()

        with tempfile.TemporaryDirectory() as folder:
            # A verb that does nothing with the table: what is measured is the way, from the frame to the other process.
            way = [cost(lambda: sent("solvers", {})) for _ in range(turns)]
            pack = [cost(lambda: sent("pack", {"output": f"{folder}/{time.perf_counter_ns()}.pack"})) for _ in range(turns)]
        figures = [min(x) for x in (*zip(*way), *zip(*pack))]
        print("10⁷ entries, ids {:17} crossed: wall {:5.2f} s, processor {:5.2f} s   crossed, sorted and packed: wall {:5.2f} s, processor {:5.2f} s".format(title, *figures), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fit", "cross"])
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    warnings.simplefilter("ignore", oc.OptCompleteWarning)
    if args.what == "cross":
        cross(args.turns)
        return
    with tempfile.TemporaryDirectory() as folder:
        fit(Path(folder), args.turns)


if __name__ == "__main__":
    main()
