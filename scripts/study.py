#!/usr/bin/env python3
"""The studies that the pages of docs/ report. None of it is part of the product.

    scripts/study.py real --ratings ratings.csv --features books.csv -k 5,10 -o study
    scripts/study.py paper --panels mu,n,m,p,k --methods certified,optcomplete,cutplanes --limit 10
    scripts/study.py units --netflix base,small --many
    scripts/study.py scale --ratings ratings.pack --features features.csv -k 5 --threads 16,8,4,2
    go test -run '^$' -bench 'PaperRows|Pass' -benchtime 3x . ./objective | scripts/study.py benchmarks
    go test -run '^$' -bench Large/1e5x1e3 -benchtime 1x . | scripts/study.py benchmarks --into docs/notes/benchmarks-large.md

real compares models on data of the user's; paper runs the rows of the paper's tables on generated data, whose
truth is known, and shows the paper's figures beside. A method, fitted to what a seed leaves it and scored on
the rest, is a cell. Cells are lines of JSON in one folder, saved the moment they are done, so that an
interrupted study resumes where it stopped; tables are made of cells. units prints a line for each whole fit at
its defaults; scale prints a line for each number of threads. benchmarks puts the output of go test into a page of docs/. Every fit is a run of the program as a
user would run it, so that times and memory are those of a process of its own.

A study must never score a method on entries that any of its choices has seen. Whether a change made the program
slower is another question: CONTRIBUTING.md, "Speed", asks it with benchstat.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOISE = 0.01  # the standard deviation of the paper's noise
HOPELESS = 3  # on how many seeds a search must meet its limit, and none end, for the others to be spared

# The ways to complete a matrix, by the settings of fit. The paper's methods share one γ.
PAPERS = {
    "certified": [],
    "optcomplete": ["--method", "optcomplete"],
    "cutplanes": ["--method", "cutplanes"],
    "cutplanes-highs": ["--method", "cutplanes", "--solver", "highs"],
}
MODELS = {
    "full": ["--model", "full"],
    "full+remainder": ["--model", "full", "--residual-rank", "auto"],
    "pooled": ["--model", "pooled"],
    "paper": ["--model", "paper"],
}
BASELINES = {"imc": ["--method", "imc"], "softimpute": ["--method", "softimpute"], "effects": ["--method", "effects"]}
METHODS = [*PAPERS, *MODELS, *BASELINES]
KILLED = {"imc": 1, "softimpute": 1, "full+remainder": 4}  # after so many limits; searches see to theirs themselves


class Late(Exception):
    """A run that did not end in its time."""


class Failed(Exception):
    """A run that ended with an error, in the program's words."""


class Program:
    """The program. Every run is a process of its own."""

    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory(prefix="study-")
        self.path = path
        if not path:
            self.path = os.path.join(self.folder.name, "optcomplete")
            subprocess.run(["go", "build", "-o", self.path, "./cmd/optcomplete"], cwd=ROOT, check=True)

    def run(self, words, within=None):
        """Gives what it printed, its processor seconds and its peak of memory in bytes."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as log:
            process = subprocess.Popen([self.path, *map(str, words)], stdout=out, stderr=log)
            late = threading.Event()
            timer = threading.Timer(within or 1e8, lambda: (late.set(), process.kill()))
            timer.daemon = True
            timer.start()
            _, status, used = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            self.used = used
            out.seek(0)
            log.seek(0)
            if late.is_set():
                raise Late(f"not done in {within:g} s")
            if process.returncode not in (0, 3):  # 3: stopped early, with a result
                raise Failed(log.read().decode().strip().split("\n")[-1])
            return out.read().decode(), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024

    def fit(self, words, within=None):
        """Gives the summary that fit --json prints, with what the run took."""
        text, processor, memory = self.run(["fit", *words, "--json", "--quiet"], within)
        return {**json.loads(text), "processor": processor, "memory": memory}


class Study:
    """Runs methods on data, the first of which the others are measured against, and keeps the cells."""

    def __init__(self, args, methods, head, error):
        self.args, self.methods, self.error = args, methods, error
        self.folder = pathlib.Path(args.o)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "cells.jsonl"
        text = path.read_text() if path.exists() else ""
        lines = text[: text.rfind("\n") + 1].splitlines()  # a last line that a crash left half written is dropped
        head = json.dumps(head)
        if lines and lines[0] != head:
            raise SystemExit(f"{self.folder} holds results of other data or other settings: use another folder, or delete it")
        self.cells = [json.loads(line) for line in lines[1:]]
        self.file = path.open("w")
        for line in lines or [head]:
            self.file.write(line + "\n")
        self.file.flush()

    def have(self, cell):
        """A cell that is done. One that was not done in time is only as good as its limit."""
        for other in reversed(self.cells):
            if same(other, cell) and other["seed"] == cell["seed"] and (other["limit"] == cell["limit"] or not cut_short(other)):
                return other
        return None

    def spared(self, cell):
        """Why a method need not be tried on a seed: it failed on others."""
        others = [c for c in self.cells if same(c, cell) and c["limit"] == cell["limit"]]
        stopped = sum(map(cut_short, others))
        if any(c.get("skipped") for c in others):
            return "not tried on other seeds"
        if stopped >= HOPELESS and stopped == len(others):
            return f"not tried on other seeds: {stopped} met the limit"
        return ""

    def on(self, data, ks, trial_of):
        """Runs all seeds and methods on some data, which are made when a method needs them."""
        cells = []
        for seed in range(self.args.seed, self.args.seed + self.args.seeds):
            trial = base = None
            for method in self.methods:
                for k in ks if method not in BASELINES else [0]:
                    cell = {"data": data, "method": method, "k": k, "seed": seed, "limit": self.args.limit}
                    done = self.have(cell)
                    cell = done or cell
                    if not done and (why := self.spared(cell)):
                        cell["skipped"] = why
                    elif not done:
                        trial = trial or trial_of(seed)
                        try:
                            cell.update(trial(method, k))
                        except (Late, Failed) as why:
                            if isinstance(why, Failed) and method != "cutplanes-highs":
                                raise
                            cell["skipped"] = str(why)
                        else:
                            cell["ratio"] = ratio(cell[self.error], (base or cell)[self.error])
                        self.file.write(json.dumps(cell) + "\n")
                        self.file.flush()
                        self.cells.append(cell)
                    base = base or cell
                    cells.append(cell)
                    print(told(cell) + ("  (done before)" if done else ""), file=sys.stderr)
        return cells


def same(a, b):
    return all(a[key] == b[key] for key in ("data", "method", "k"))


def cut_short(cell):
    """Whether another limit would have given another result."""
    return bool(cell.get("skipped")) or cell.get("status") == "time_limit"


def ratio(a, b):
    return 1.0 if a == b == 0 else a / max(b, 1e-300)


def told(cell):
    text = f"{cell['data']}  seed {cell['seed']}  {cell['method']:14} k {cell['k']:<2} "
    if cell.get("skipped"):
        return text + "skipped: " + cell["skipped"]
    text += f"RMSE {cell['rmse']:.5f}  MAPE {percent(cell['mape'])}  ratio {cell['ratio']:.4f}  {cell['total']:.3g} s"
    return text + ("  gap " + percent(cell["gap"]) if cell["bounded"] else "")


def cell_of(s, scored):
    """What a cell keeps of a summary."""
    t = s["seconds"]
    cell = {key: s.get(key) for key in ("observed", "selected", "gamma", "status", "cuts", "nodes", "passes", "coverage", "memory")}
    cell.update(bounded=bool(s.get("certified")), gap=min(s.get("gap") or 0, 1), choose=t.get("choose", 0),
                search=t.get("select", 0) - t.get("choose", 0) + t.get("certify", 0), total=t["total"] - t.get("load", 0),
                trace=[[p["seconds"], 1 if p.get("bound") is None else (p["cost"] - p["bound"]) / max(p["cost"], 1e-300)]
                       for p in s.get("trace") or [] if not p.get("sampled")])
    cell.update({key: scored.get(key) or 0 for key in ("rmse", "mae", "mape", "clean_mape")})
    return cell


def limits(args, method, k):
    """The settings that all fits of a trial share, and after how long a run is ended."""
    words = ["--threads", args.threads]
    if k:
        words += ["-k", k, "--near-ties", 0] + (["--time-limit", f"{args.limit:g}s"] if args.limit else ["--time-limit", "none"])
    return words, args.limit * KILLED.get(method, 0) or None


# Tables.


class Group:
    """A method with a k on some data, over all seeds that have a result."""

    def __init__(self, cell, table):
        self.data, self.method, self.k, self.table = cell["data"], cell["method"], cell["k"], table
        self.cells, self.skipped = [], []

    def name(self):
        if self.method == "effects":
            return "effects alone"
        return f"{self.method}, k = {self.k}" if self.k else self.method

    def all(self, key):
        return [c[key] for c in self.cells]

    def stopped(self):
        return sum(c["status"] == "time_limit" for c in self.cells)


def groups(cells):
    """Gathers the cells in the order of their first appearance."""
    out = []
    for cell in cells:
        group = next((g for g in out if (g.data, g.method, g.k) == (cell["data"], cell["method"], cell["k"])), None)
        if not group:
            out.append(group := Group(cell, cells))
        if not cell.get("skipped"):
            group.cells.append(cell)
        elif cell["skipped"] not in group.skipped:
            group.skipped.append(cell["skipped"])
    return out


def table(all_groups, columns):
    """The groups with a result; why others have none stands in the column behind that of the method."""
    lines = ["| " + " | ".join(title for title, _ in columns) + " |", "|" + "---|" * len(columns)]
    for g in all_groups:
        if g.cells:
            lines.append("| " + " | ".join(show(g) for _, show in columns) + " |")
        lines += [f"| {g.name()} | skipped: {why} |" + " |" * (len(columns) - 2) for why in g.skipped]
    return "\n".join(lines) + "\n"


def percent(x):
    """Three digits that matter; below the precision of the search a gap is nothing."""
    return "0 %" if x < 1e-9 else f"{100 * x:.3g} %"


def seconds(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 1 else f"{x:.3f}"


def digits(n):
    return lambda x: f"{x:.{n}f}"


def of(summarise, title, key, show):
    return title, lambda g: show(summarise(g.all(key)))


def ranged(title, key, show):
    """The median with the spread, where the seeds differ."""

    def text(g):
        values = g.all(key)
        middle, least, most = map(show, (statistics.median(values), min(values), max(values)))
        return middle if least == most else f"{middle} ({least}–{most})"

    return title, text


def only(when, column):
    """Leaves a column empty for groups that it says nothing about."""
    title, show = column
    return title, lambda g: show(g) if when(g.cells[0]) else ""


def bounded(cell):
    return cell["bounded"]


def selects(cell):
    return cell["k"] > 0 and cell["method"] != "oracle"


def cuts(cell):
    return bool(cell["cuts"])


NAMED = ("method", Group.name)
SEEDS = ("seeds", lambda g: str(len(g.cells)))
TIMES = ("choose, search, total (s, median)", lambda g: ", ".join(f"{statistics.median(g.all(key)):.1f}" for key in ("choose", "search", "total")))
PROVEN = ("proven optimal", lambda g: f"{g.all('status').count('optimal')} of {len(g.cells)}")
REAL = [NAMED, SEEDS, of(statistics.mean, "RMSE mean", "rmse", digits(4)), of(statistics.median, "median", "rmse", digits(4)),
        of(statistics.mean, "MAE", "mae", digits(4)), of(statistics.mean, "MAPE", "mape", percent),
        of(statistics.mean, "ratio to effects: mean", "ratio", digits(4)), of(max, "worst", "ratio", digits(4)),
        only(bounded, of(max, "gap: worst", "gap", percent)), only(bounded, PROVEN), TIMES]
EVERY = [("seed", lambda g: str(g.cells[0]["seed"])), NAMED, of(max, "RMSE", "rmse", digits(4)), of(max, "MAE", "mae", digits(4)),
         of(max, "MAPE", "mape", percent), of(max, "ratio", "ratio", digits(4)), only(selects, of(max, "γ", "gamma", lambda x: f"{x:.2g}")),
         only(bounded, of(max, "gap", "gap", percent)), ("status", lambda g: (g.cells[0]["status"] or "").replace("_", " ")), TIMES]
PAPER = [("method", lambda g: g.method + (f" ({g.stopped()} stopped at {g.cells[0]['limit']:g} s)" if g.stopped() else "")), SEEDS,
         only(lambda c: c["search"] > 0, ranged("search, s", "search", seconds)),
         only(lambda c: c["search"] > 0, ("× certified", lambda g: against(g, "certified"))),
         ranged("total, s", "total", seconds), ranged("MAPE", "mape", percent), ranged("MAPE, noise-free", "clean_mape", percent),
         ranged("ratio to oracle", "ratio", digits(2)), only(selects, ("found", lambda g: f"{ranged('', 'found', digits(0))[1](g)} of {g.k}")),
         only(bounded, ranged("gap", "gap", percent)), only(cuts, ranged("cuts", "cuts", digits(0))),
         only(cuts, ranged("passes", "passes", digits(0))), ranged("memory", "memory", lambda x: f"{x / 1e6:.3g} MB")]


def coverage(with_):
    """Which part of the held-out entries lies in its intervals, and how wide these are."""
    columns = [NAMED, SEEDS]
    for x, c in enumerate(with_):
        for title, key, show in ((percent(c["probability"]), "covered", percent), ("width", "width", digits(2))):
            columns.append((title, lambda g, x=x, key=key, show=show: show(statistics.mean(c["coverage"][x][key] for c in g.cells))))
    return columns


def against(g, method):
    """The median ratio of search times to another method's on the same data and seed."""
    theirs = {c["seed"]: c["search"] for c in g.table if c["data"] == g.data and c["method"] == method and not c.get("skipped")}
    both = [c["search"] / theirs[c["seed"]] for c in g.cells if theirs.get(c["seed"], 0) > 0]
    return f"{statistics.median(both):.3g}" if both else ""


# Pictures: lines on logarithmic axes, in colours that colour-blind readers can tell apart (Okabe and Ito).

TONES = ["#0072b2", "#d55e00", "#009e73", "#a84c80", "#b37700", "#3d8ec4"]


def picture(title, x_name, y_name, series, note, log_x=True):
    """An SVG of (name, tone, dashed, step, points) on a logarithmic y axis."""
    points = [(p[0], p[1]) for *_, line in series for p in line] or [(1, 1)]
    scale = math.log10 if log_x else (lambda v: v)
    left, right, top, bottom = 80, 730, 44 + 18 * ((len(series) + 2) // 3), 360
    low_x, high_x = min(scale(x) for x, _ in points), max(scale(x) for x, _ in points)
    low_y, high_y = min(math.log10(y) for _, y in points), max(math.log10(y) for _, y in points)
    low_y, high_y = math.floor(low_y), max(math.ceil(high_y), math.floor(low_y) + 1)
    high_x = high_x if high_x > low_x else low_x + 1

    def at(x, y):
        return left + (scale(x) - low_x) / (high_x - low_x) * (right - left), bottom - (math.log10(y) - low_y) / (high_y - low_y) * (bottom - top)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 420" role="img" aria-label="{title}" font-family="system-ui, sans-serif" font-size="13">',
           '<rect width="760" height="420" fill="#fff"/>', f'<text x="{left}" y="24" font-size="15" font-weight="600">{title}</text>']

    def text(x, y, anchor, words):
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>')

    for decade in range(low_y, high_y + 1):
        y = at(points[0][0], 10.0**decade)[1]
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e3e6e9"/>')
        text(left - 7, y + 4, "end", f"{10.0**decade:g}")
    ticks = range(math.ceil(low_x), math.floor(high_x) + 1) if log_x else [low_x + (high_x - low_x) * i / 4 for i in range(5)]
    for tick in ticks:
        value = 10.0**tick if log_x else tick
        text(at(value, 10.0**low_y)[0], bottom + 18, "middle", f"{value:g}" if log_x else f"{value:.3g}")
    text((left + right) / 2, bottom + 38, "middle", x_name)
    out.append(f'<text x="14" y="{(top + bottom) / 2}" text-anchor="middle" transform="rotate(-90 14 {(top + bottom) / 2})">{y_name}</text>')
    for n, (name, tone, dashed, step, line) in enumerate(series):
        style = f'stroke="{TONES[tone - 1]}" stroke-width="2.2" fill="none"' + (' stroke-dasharray="6 5"' if dashed else "")
        path = ""
        for x, y in (at(x, y) for x, y in line):
            path += f"M{x:.1f} {y:.1f}" if not path else f"H{x:.1f}V{y:.1f}" if step else f"L{x:.1f} {y:.1f}"
        x, y = left + n % 3 * 220, 44 + n // 3 * 18
        out.append(f'<path d="{path}" {style}/><line x1="{x}" y1="{y - 4}" x2="{x + 24}" y2="{y - 4}" {style}/>')
        text(x + 30, y, "start", name)
    text(left, 412, "start", f'<tspan font-size="12" fill="#5b646c">{note}</tspan>')
    return "\n".join(out) + "\n</svg>\n"


# Data of the user's.


def real(args, program):
    """For every seed a part of the entries is held out, and everything fitted to the rest."""
    data = [args.ratings, "--features", args.features, *(["--complete-features"] if args.complete_features else []), *(["--min-entries", args.min_entries] if args.min_entries else [])]
    shape = program.fit([*data, "--method", "effects"])
    head = {"study": "real", "data": [str(word) for word in data], **{key: shape[key] for key in ("rows", "columns", "features", "observed", "train", "version")},
            "holdout": args.holdout}
    methods = ["effects"] + [m for m in args.methods if m != "effects"]
    study = Study(args, methods, head, "rmse")

    def trial_of(seed):
        def trial(method, k):
            words, within = limits(args, method, k)
            s = program.fit([*data, *({**PAPERS, **MODELS, **BASELINES}[method]), *words, *(["--model", "paper"] if method in PAPERS else []),
                             "--holdout", args.holdout, "--seed", seed], within)
            return cell_of(s, s["holdout"])

        return trial

    cells = study.on(os.path.basename(args.ratings), args.k, trial_of)
    text = f"{head['rows']} rows, {head['columns']} columns, {head['features']} features, {head['observed']} observed entries; {100 * args.holdout:.0f} % held out"
    text += (f"; at most {args.limit:.0f} s for each search" if args.limit else "") + ".\n\n"
    text += table(groups(cells), REAL) + "\nEvery seed:\n\n" + table([groups([c])[0] for c in cells], EVERY)
    covered = [g for g in groups([c for c in cells if c.get("coverage")]) if g.cells]
    if covered:
        text += "\nHeld-out entries in their intervals (mean over the seeds whose time limit left time for it), and the mean width of these:\n\n"
        text += table(covered, coverage(covered[0].cells[0]["coverage"]))
    text += "\nSelected features, with the number of seeds that select them:\n\n"
    for g in groups(cells):
        times = {}
        for name in (name for c in g.cells for name in c["selected"] or []):
            times[name] = times.get(name, 0) + 1
        if g.k and g.cells:
            text += f"- {g.name()}: " + ", ".join(f"{name} ({n})" for name, n in sorted(times.items(), key=lambda x: -x[1])) + "\n"
    (study.folder / "real.md").write_text(text)
    lines = [(f"k = {c['k']}", n % 6 + 1, False, True, [(t, 100 * max(gap, 1e-6)) for t, gap in c["trace"]])
             for n, c in enumerate(c for c in cells if c["method"] == "full" and c["seed"] == args.seed and c.get("trace"))]
    # A proof has no place on a logarithmic axis: it is drawn at its foot.
    (study.folder / "gap.svg").write_text(picture("Gap over time, model full", "seconds of search", "relative gap, %", lines,
                                                  "A line that reaches the foot of the picture ends with a proof of optimality.", log_x=False))
    print(text, end="")


# The paper's tables.

# "Comparison of OptComplete, IMC and SIALS on synthetic data", line by line: n, m, p, k, μ in percent, then seconds and MAPE
# in percent of OptComplete, CutPlanes, IMC and SIALS, each the median of ten runs on a server with 16 cores, Gurobi 8.1.0, Matlab
# 2018b and R 3.4.4; - for what it does not report, or "N/A: did not complete in 20 hours".
TABLE1 = """
mu     100     100   15  5 20  1.7  0.1    6.0   0.1    0.03  0.01  0.02  0.3
mu     100     100   15  5 50  0.9  0.02   4.5   0.02   0.07  0.5   0.03  0.9
mu     100     100   15  5 80  0.6  0.03   2.5   0.03   0.09  1.3   0.06  5.6
mu     100     100   15  5 95  0.2  0.04   1.2   0.04   0.12  12.1  0.12  7.4
n      100     100   15  5 50  0.9  0.02   4.5   0.02   0.07  0.5   0.03  0.9
n      1000    100   15  5 50  3.1  0.01   72.5  0.01   0.6   0.4   0.1   0.2
n      10000   100   15  5 50  9.5  0.004  957   0.004  4.5   0.3   6.5   0.5
n      100000  100   15  5 50  18.0 0.003  10856 0.003  32.7  0.1   38    3.0
m      100     100   15  5 50  0.9  0.02   4.5   0.02   0.07  0.5   0.03  0.9
m      100     1000  15  5 50  0.7  0.01   18.6  0.01   0.8   0.3   0.1   0.5
m      100     10000 15  5 50  1.2  0.004  68.5  0.004  6.2   0.2   0.8   0.3
m      100    100000 15  5 50  3.0  0.002  259   0.002  56.2  0.1   12.7  0.8
p      100     100   15  5 50  0.9  0.02   4.5   0.02   0.07  0.5   0.03  0.9
p      100     100   50  5 50  2.0  0.02   18.0  0.02   0.3   0.6   0.03  0.9
p      100     100  200  5 50  12.1 0.02   95.9  0.02   1.9   0.8   0.03  0.9
p      100     100 1000  5 50  90.3 0.02   680   0.02   10.4  1.0   0.03  0.9
k      100     100   50  5 50  2.0  0.02   18.0  0.02   0.3   0.5   0.03  0.9
k      100     100   50 10 50  20.7 0.06   130   0.06   0.20  1.2   0.1   0.8
k      100     100   50 20 50  240  0.07   1584  0.07   0.35  2.1   0.21  1.0
k      100     100   50 30 50  980  0.09   8461  0.09   0.5   3.3   0.43  2.8
large  100     100   15  5 95  0.2  0.04   1.2   0.04   0.12  12.1  0.12  7.4
large  1000    1000  50  5 95  1.4  0.006  3.5   0.006  4.6   4.7   2.8   12.5
large  10000   1000 100  5 95  5.7  0.002  35.2  0.002  18    2.5   20.7  12.6
large  100000  1000 200 10 95  52   0.001  1520  0.001  295   1.7   420   4.6
large  100000 10000 200 10 95  98   0.001  5769  0.001  1750  0.5   4042  4.1
large 1000000 10000 200 10 95  480  0.001  -     -      13750 0.3   25094 2.5
large 1000000 100000 200 10 95 680  0.001  -     -      -     -     -     -
large 1000000 1000000 200 10 95 1415 0.001 -     -      -     -     -     -
"""

# Its two tables "Comparison of methods on Netflix data", for k = 5 and k = 10, by the names that synth --netflix has for the sets:
# n, m, p, k, μ in percent, then seconds and MAPE in percent of OptComplete, IMC and SIALS.
TABLE2 = """
base   3923    103    59  5  92.6  6.0   29.4  0.6   34.2  0.3   31.2
small  18227   323    59  5  94.8  12.2  21.8  5.2   29.1  4.1   24.1
medium 96601   788    59  5  94.2  25.5  20.9  38.1  28.7  30.4  21.3
large  471268  1760   59  5  93.6  102   18.8  460   24.6  430   19.8
full   471268  14538  59  5  94.1  170   15.7  3921  21.5  5300  16.7
base   3923    103    59  10 92.6  11.0  30.4  1.4   36.7  0.8   35.8
small  18227   323    59  10 94.8  20.3  24.0  12.5  32.5  7.0   28.9
medium 96601   788    59  10 94.2  45.9  22.3  84.2  29.6  50.7  22.8
large  471268  1760   59  10 93.6  260   20.7  1022  24.8  870   20.7
full   471268  14538  59  10 94.1  380   19.6  8704  23.1  10240 20.0
"""

# Where theirs stands beside which method of ours, and what the paper says of how time grows along a panel.
THEIRS = {"optcomplete": "OptComplete", "cutplanes": "CutPlanes", "imc": "IMC", "softimpute": "SIALS"}
PANELS = {
    "mu": ("The missing part μ", "", {}),
    "n": ("The number of rows n", "n", {"optcomplete": "O(√n·log n)", "cutplanes": "O(n)", "imc": "worse than OptComplete's", "softimpute": "worse than OptComplete's"}),
    "m": ("The number of columns m", "m", {"optcomplete": "much slower than O(√m·log m)", "cutplanes": "roughly O(√m)", "imc": "O(m)", "softimpute": "O(m)"}),
    "p": ("The number of features p", "p", {"optcomplete": "O(p) to O(p²)", "imc": "similar to OptComplete's", "softimpute": "none: it uses no features"}),
    "k": ("The number of true features k", "k", {"optcomplete": "O(k) cuts of O(k³) each", "imc": "almost linear", "softimpute": "almost linear"}),
    "large": ("Realistic and large sizes", "", {}),
    "netflix": ("Netflix-shaped ratings", "", {}),
}


def rows_of(panel):
    """The rows of a panel, with the paper's figures: seconds and MAPE by method of ours."""
    rows = []
    for line in (TABLE2 if panel == "netflix" else TABLE1).strip().splitlines():
        name, n, m, p, k, missing, *figures = line.split()
        if panel not in (name, "netflix"):
            continue
        row = {"n": int(n), "m": int(m), "p": int(p), "k": int(k), "missing": float(missing), "netflix": name if panel == "netflix" else ""}
        ours = ["optcomplete", "imc", "softimpute"] if panel == "netflix" else list(THEIRS)
        row["theirs"] = {method: (float(figures[2 * x]), float(figures[2 * x + 1])) for x, method in enumerate(ours) if figures[2 * x] != "-"}
        row["name"] = f"{'ratings ' if row['netflix'] else ''}{n} × {m}, p = {p}, k = {k}, {row['missing']:.3g} % missing"
        rows.append(row)
    return rows


def make(program, folder, row, seed, test):
    """Generates the data of a row: a pack, its features, missing entries to score on, and the truth."""
    size = ["--netflix", row["netflix"]] if row["netflix"] else ["--rows", row["n"], "--columns", row["m"], "--features", row["p"],
                                                                "--missing", row["missing"] / 100, "--noise", row.get("noise", NOISE)]
    program.run(["synth", *size, "--k", row["k"], "--seed", seed, "--test-entries", test, "--ratings", folder / "ratings.pack", "-o", folder / "data",
                 "--force", "--quiet"])
    return json.loads((folder / "data" / "truth.json").read_text())["selected"]


def misfit(row, folder):
    """Why a row cannot be run here; empty: it can."""
    need = 6 * row["n"] * row["m"] * (1 - row["missing"] / 100)  # of its pack
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize / 2
    return f"its entries take about {need / 1e9:.0f} GB of disk, and may take {free / 1e9:.0f}" if need > free else ""


def score(path, predictions, clip):
    """The errors of predictions on a test file, as it would be observed and without noise."""
    errors, relative, clean = [], [], []
    with open(path) as test, open(predictions) as predicted:
        for want, got in zip(csv.DictReader(test), csv.DictReader(predicted), strict=True):
            value, pure, at = float(want["value"]), float(want["noise_free"]), float(got["prediction"])
            at = min(max(at, 1.0), 5.0) if clip else at
            errors.append(at - value)
            relative += [abs(at - value) / abs(value)] if value else []
            clean += [abs(at - pure) / abs(pure)] if pure else []
    mean = lambda values: sum(values) / max(len(values), 1)  # noqa: E731
    return {"rmse": math.sqrt(mean([e * e for e in errors])), "mae": mean([abs(e) for e in errors]), "mape": mean(relative), "clean_mape": mean(clean)}


def paper(args, program):
    """Runs the paper's own experiments; the oracle, which knows the true features, is what the others are measured against."""
    head = {"study": "paper", "gamma": args.gamma, "factor": args.factor, "test": args.test_entries, "threads": args.threads,
            "version": program.run(["--version"])[0].strip()}
    study = Study(args, ["oracle", *args.methods], head, "mape")

    def trial_of(row, folder, seed):
        truth = make(program, folder, row, seed, args.test_entries)
        data = [folder / "ratings.pack", "--features", folder / "data" / "features.csv", "--seed", seed,
                *(["--memory", args.memory] if args.memory else [])]
        learned = {}

        def gamma():
            """That of all methods of the paper's model, and the time that learning it takes."""
            if not args.gamma and not learned:
                s = program.fit([*data, "--model", "paper", *limits(args, "certified", row["k"])[0]])
                learned.update(gamma=s["gamma"] * (args.factor or 1), choose=s["seconds"].get("choose", 0))
            return learned or {"gamma": args.gamma, "choose": 0}

        def trial(method, k):
            words, within = limits(args, method, k)
            model, took = folder / "model", 0
            if method in ("oracle", *PAPERS):
                words += ["--model", "paper", "--gamma", repr(gamma()["gamma"])]
                took = gamma()["choose"] if method != "oracle" else 0
            if method == "oracle":
                words += ["--always", ",".join(truth), "--refit", "ls"]
            if method == "softimpute" and row["netflix"]:
                words += ["--residual-rank", row["k"]]  # "we set the maximum rank of SIALS to be k"
            s = program.fit([*data, *({**PAPERS, **MODELS, **BASELINES}.get(method, [])), *words, "-o", model], within)
            test = folder / "data" / "test.csv"
            program.run(["predict", model, test, "-o", folder / "predicted.csv", "--quiet"])
            cell = cell_of(s, score(test, folder / "predicted.csv", bool(row["netflix"])))
            cell.update(choose=cell["choose"] + took, found=len(set(cell["selected"] or []) & set(truth)))
            return cell

        return trial

    for panel in args.panels:
        title, axis, _ = PANELS[panel]
        rows, cells = rows_of(panel)[: args.rows], []
        for row in rows:
            with tempfile.TemporaryDirectory(prefix="study-", dir=args.scratch) as scratch:
                if why := misfit(row, scratch):
                    cells.append({"data": row["name"], "method": "oracle", "k": row["k"], "seed": 1, "skipped": why})
                else:
                    cells += study.on(row["name"], [row["k"]], lambda seed: trial_of(row, pathlib.Path(scratch), seed))
            (study.folder / f"paper-{panel}.md").write_text(paper_table(args, panel, rows, cells))
            if axis:
                (study.folder / f"paper-{panel}.svg").write_text(paper_picture(panel, rows, cells))
        print(paper_table(args, panel, rows, cells))


def paper_table(args, panel, rows, cells):
    """A panel for people, the paper's figures beside ours."""
    title, axis, claims = PANELS[panel]
    gamma = "γ is learned from the variances of the rows' coefficients, once for all methods"
    gamma = f"γ = {args.gamma:g} and is not tuned" if args.gamma else f"All methods get the γ that is learned, times {args.factor:g}" if args.factor else gamma
    on = f"at most {args.test_entries} of the missing entries" + (", with the predictions of all methods kept within 1 to 5" if panel == "netflix" else "")
    text = f"### {title}\n\n{gamma}. MAPE is over {on}; {args.threads or os.cpu_count()} threads" + (f"; at most {args.limit:g} s for each search" if args.limit else "")
    text += ". Numbers are medians over the seeds (least–most). The oracle knows the true features and fits them by least squares, as the paper's methods do; on rows with few entries, methods that shrink can beat it (a ratio below 1). full is this program's own model, with effects and a learned prior (and a remainder of low rank); all other methods that select use the paper's model. Lines in italics are the paper's own figures, on 16 cores with Gurobi, Matlab and R.\n"
    everything = groups(cells)
    for row in rows:
        mine = [g for g in everything if g.data == row["name"]]
        if mine:
            text += f"\n{row['name']}:\n\n" + table(mine, PAPER)
            for method, (took, mape) in row["theirs"].items():
                text += f"| *paper: {THEIRS[method]}* | | | | *{took:g}* | *{mape:g} %* |" + " |" * (len(PAPER) - 6) + "\n"
    if axis:
        text += f"\nHow time grows: the power of {axis}, fitted to the medians (without those at the limit).\n\n| method | search | total | the paper's figures | the paper says |\n|---|---|---|---|---|\n"
        for method in [m for m in dict.fromkeys([*(g.method for g in everything), *THEIRS]) if m != "oracle"]:
            powers = [slope(curve(panel, rows, everything, method, "search")), slope(curve(panel, rows, everything, method, "total")), slope(their_curve(panel, rows, method))]
            text += f"| {method} | " + " | ".join("" if p is None else f"{p:.2f}" for p in powers) + f" | {claims.get(method, '')} |\n"
        text += f"\n![{title}: time](paper-{panel}.svg)\n"
    return text


def curve(panel, rows, everything, method, key):
    """A method's median times along a panel. Where half of the searches or more met their limit the median is no time."""
    return [(row[panel], statistics.median(g.all(key))) for row in rows for g in everything
            if g.data == row["name"] and g.method == method and g.cells and 2 * g.stopped() < len(g.cells)]


def their_curve(panel, rows, method):
    return [(row[panel], row["theirs"][method][0]) for row in rows if method in row["theirs"]]


def slope(points):
    """Fits log(seconds) = a + slope·log(x) by least squares: time grows like x to the power of it. None: it needs two different x."""
    logs = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x, mean_y = statistics.mean(x for x, _ in logs), statistics.mean(y for _, y in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def paper_picture(panel, rows, cells):
    """Time along a panel, ours and the paper's."""
    everything = groups(cells)
    tones = {"certified": 1, "optcomplete": 2, "cutplanes": 3, "imc": 4, "softimpute": 5, "full": 6}
    lines = []
    for theirs in (False, True):
        for method, tone in tones.items():
            points = their_curve(panel, rows, method) if theirs else curve(panel, rows, everything, method, "total")
            name = "paper's " + THEIRS.get(method, "") if theirs else method
            power = slope(points)
            if points:
                lines.append((name if power is None else f"{name}: {panel}^{power:.2f}", tone, theirs, False, points))
    return picture(PANELS[panel][0] + ": total time", panel, "seconds", lines,
                   "Beside each name the power that its time grows with. Dashed: the paper's own times, on 16 cores.")


# Whole fits at their defaults.


def given(args):
    """The data of a study, as words of fit."""
    return [args.ratings, "--features", args.features, *(["--complete-features"] if args.complete_features else []), *(["--min-entries", args.min_entries] if args.min_entries else [])]


def units(args, program):
    """Prints a line for each fit with learned units: the error on entries held out beside that of the true features where they are known,
    what is proven, and how much of the time went into learning."""
    print("| data | k | seed | test RMSE | of the truth | ratio | true features found | gap | status | whole fit, s | processor, s | learning, of the whole fit |\n" + "|---" * 12 + "|")

    def line(name, data, k, seed, holdout, truth=None):
        def fit(*more):
            return program.fit([*data, "-k", k, "--near-ties", 0, "--holdout", holdout, "--seed", seed, *more])

        s = fit()
        rmse, of_truth, found = s["holdout"]["rmse"], ["", ""], ""
        if truth:
            least = fit("--always", ",".join(truth))["holdout"]["rmse"]
            of_truth, found = [f"{least:.5f}", f"{rmse / least:.5f}"], f"{len(set(s['selected']) & set(truth))} of {len(truth)}"
        total = s["seconds"]["total"] - s["seconds"].get("load", 0)
        print(f"| {name} | {k} | {seed} | {rmse:.5f} | {of_truth[0]} | {of_truth[1]} | {found} | {100 * s['gap']:.2g} % | {s['status'].replace('_', ' ')} | {total:.2f} | {s['processor']:.2f} | {100 * s['seconds'].get('choose', 0) / total:.0f} % |", flush=True)

    seeds = range(1, args.seeds + 1)
    if args.ratings:
        data = given(args)
        for k in args.k:
            for seed in seeds:
                line(os.path.basename(args.ratings), data, k, seed, 0.2)
    made = [next(row for row in rows_of("netflix") if row["netflix"] == name) for name in args.netflix]
    if args.many:
        made.append({"n": 2000, "m": 2000, "p": 5000, "k": 10, "missing": 95, "noise": 0.5, "netflix": "", "name": "2000 × 2000, 5,000 features"})
    for row in made:
        for seed in seeds:
            with tempfile.TemporaryDirectory(prefix="study-") as scratch:
                folder = pathlib.Path(scratch)
                truth = make(program, folder, row, seed, 1)
                line(row["name"], [folder / "ratings.pack", "--features", folder / "data" / "features.csv"], row["k"], seed, 0.1 if row.get("noise") else 0.2, truth)


def scale(args, program):
    """Prints how a whole fit, model saved, gets faster with more threads. The result must have the same bits for all."""
    print("| threads | selected, s | proof, s | rows and report, s | whole, s | user, s | system, s | speed-up | memory |\n" + "|---" * 9 + "|")
    first = seen = None
    with tempfile.TemporaryDirectory(prefix="study-") as scratch:
        for threads in args.threads_list:
            began = time.time()
            s = program.fit([*given(args), *args.more.split(), "-k", args.k[0], "--threads", threads, "-o", os.path.join(scratch, f"model-{threads}")])
            whole, t, used = time.time() - began, s["seconds"], program.used
            answer = s["selected"], s["cost"], s["bound"], s["train"]
            if seen not in (None, answer):
                raise Failed(f"the result with {threads} threads is another one")
            first, seen = first or (threads, whole), answer
            print(f"| {threads} | {t['load'] + t['select']:.2f} | {t['certify']:.2f} | {t['complete']:.2f} | {whole:.2f} | {used.ru_utime:.1f} | {used.ru_stime:.1f} | {first[1] / whole:.2f} | {used.ru_maxrss / 2**20:.2f} GB |", flush=True)


# Tables of benchmarks.

PAPER_HEAD = "| n, m | p, k | missing | paper: OptComplete / CutPlanes | median | worst | nodes | passes | found | MAPE | oracle's | ratio |"
PASS_HEAD = "| shape | p, t | | ns an entry | GFMA/s | peak | share | GB/s | limit | share |"
# The rows of docs/notes/benchmarks-large.md by the names that BenchmarkLarge has for them.
LARGE = {"1e4x1e4": "10^4 × 10^4 (200, 10), memory", "1e5x1e3": "10^5 × 10^3 (200, 10), memory", "1e5x1e4": "10^5 × 10^4 (200, 10), memory",
         "1e6x1e4": "10^6 × 10^4 (200, 10), pack", "1e6x1e5": "10^6 × 10^5 (200, 10), generated", "1e6x1e6": "10^6 × 10^6 (200, 10), generated",
         "netflix": "471268 × 14538 (59, 5), netflix, full", "netflix-paper": "471268 × 14538 (59, 5), netflix, paper"}


def parse(line, benchmark):
    """The configuration and the metrics of a line of a benchmark; None: it is none of it."""
    fields = line.split()
    if len(fields) < 4 or not fields[0].startswith(benchmark + "/"):
        return None
    config = {}
    for part in fields[0].split("/")[1:]:
        key, _, value = part.partition("=")
        config[key.split("-")[0]] = value.split("-")[0]
    return config, {fields[x + 1]: float(fields[x]) for x in range(2, len(fields) - 1, 2)}


def paper_line(c, m):
    return (f"| {c['n']}, {c['m']} | {c['p']}, {c['k']} | {100 * float(c['missing']):g} % | {m['s-paper-optcomplete']:g} s / {m['s-paper-cutplanes']:g} s "
            f"| **{m['ms'] / 1000:.4f} s** | {m['ms-worst'] / 1000:.4f} s | {m['nodes']:g} | {m['passes']:g} | {m['%found']:.4g} % | {m['%mape']:.2f} % | {m['%mape-oracle']:.2f} % | {m['mape-ratio']:.2f} |")


def pass_line(c, m):
    shape = f"m = {c['m']}" if c.get("m") else "indicators" if "indicators" in c else "ratings"
    return (f"| {shape} | {c['p']}, {c['t']} | {'Hessian' if 'hessian' in c else ''} | **{m['ns/entry']:.1f}** | {m['GFMA/s']:.1f} | {m['GFMA/s-peak']:.1f} "
            f"| **{m['%peak']:.0f} %** | {m['GB/s']:.2f} | {m['GB/s-limit']:.1f} | {m['%bandwidth']:.1f} % |")


def large_line(m):
    """The row of the table that a line of BenchmarkLarge is, without its first two cells, which the page has."""
    if "s-hundredth" in m:
        return (f"{seconds(m['s-found'])} s | {m['true']:g} of {m['k']:g} | — | — | (sampled {m['%gap-sampled']:.2g} %) | {seconds(m['s-hundredth'])} s for a hundredth of the rows; "
                f"all: about {seconds(100 * m['s-hundredth'])} s by extrapolation | — | {m['MB-peak']:.0f} MB |")
    return (f"{seconds(m['s-found'])} s | {m['true']:g} of {m['k']:g} | {seconds(m['s-proof'])} s | {m['passes']:g} | {m['%gap']:.2g} % | {seconds(m['s-rows'])} s | {seconds(m['s-all'])} s | {m['MB-peak']:.0f} MB |")


def benchmarks(args, _):
    """Puts the output of go test -bench, on stdin, into the tables of a page, which keeps its words."""
    page = pathlib.Path(args.into)
    lines, cpu, put, rows = page.read_text().split("\n"), "", 0, {PAPER_HEAD: [], PASS_HEAD: []}
    for text in sys.stdin:
        cpu = text[5:].strip() if text.startswith("cpu: ") else cpu
        for head, name, line in ((PAPER_HEAD, "BenchmarkPaperRows", paper_line), (PASS_HEAD, "BenchmarkPass", pass_line)):
            if parsed := parse(text, name):
                rows[head].append(line(*parsed))
        if parsed := parse(text, "BenchmarkLarge"):
            name = text.split()[0].split("/")[1]
            name = name if name in LARGE else name.rsplit("-", 1)[0]  # without the number of processors
            for at, line in enumerate(lines):
                if line.startswith(f"| {LARGE.get(name)} |"):
                    lines[at] = " | ".join(line.split(" | ")[:2]) + " | " + large_line(parsed[1])
                    put += 1
    for head, of_head in rows.items():
        if of_head:
            if head not in lines:
                raise SystemExit(f"{page} has no table with the head {head}")
            first = last = lines.index(head) + 2  # behind the head and the line below it
            while last < len(lines) and lines[last].startswith("|"):
                last += 1
            lines[first:last] = of_head
            put += len(of_head)
    if not put:
        raise SystemExit("no line of BenchmarkPaperRows, BenchmarkPass or BenchmarkLarge on stdin that the page has a table for")
    page.write_text("\n".join(lines))
    print(f"{page}: {put} rows. Say above them where they were measured: {time.strftime('%-d %B %Y')}, {cpu}.")


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="", help="the program; without it, it is built from this checkout")
    studies = parser.add_subparsers(dest="study", required=True)

    def whole(text):
        return [int(x) for x in text.split(",")]

    def one_of(known):
        def names(text):
            for name in text.split(","):
                if name not in known:
                    raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
            return text.split(",")

        return names

    def study(name, run, seeds, methods=None):
        s = studies.add_parser(name, help=run.__doc__)
        s.set_defaults(run=run)
        s.add_argument("--seeds", type=int, default=seeds, help="how many seeds, each with data or a split of its own")
        s.add_argument("--threads", type=int, default=0, help="processors; 0: all")
        if methods:
            s.add_argument("--seed", type=int, default=1, help="the first of them")
            s.add_argument("--limit", type=float, default=0, help="most seconds for each search, or each run of a method without one; 0: no limit")
            s.add_argument("-o", default="study", help="folder for the tables, plots and cells")
            s.add_argument("--methods", type=one_of(METHODS), default=methods.split(","), help="methods to compare: " + ", ".join(METHODS))
        return s

    def data(s, needed, ks):
        s.add_argument("--ratings", required=needed, default="", help="file with the observed entries")
        s.add_argument("--features", required=needed, default="", help="table with the features of the columns")
        s.add_argument("--complete-features", action="store_true", help="leave out columns that a feature is missing of")
        s.add_argument("--min-entries", type=int, default=0, help="leave out rows with fewer entries")
        s.add_argument("-k", type=whole, default=ks, help="how many features to select: 5,10")

    s = study("real", real, 5, "softimpute,imc,full,full+remainder,pooled,paper")
    data(s, True, [5, 10])
    s.add_argument("--holdout", type=float, default=0.2, help="fraction of the entries to hold out and score on")
    s = study("paper", paper, 10, "certified,optcomplete,cutplanes,imc,softimpute,effects")
    s.add_argument("--panels", type=one_of(PANELS), required=True, help="parts of the paper's tables: " + ", ".join(PANELS))
    s.add_argument("--rows", type=int, default=None, help="only so many rows of each panel, from the first")
    s.add_argument("--gamma", type=float, default=0, help="γ of all; 0: learned")
    s.add_argument("--factor", type=float, default=0, help="if set, multiplies the γ that is learned")
    s.add_argument("--test-entries", type=int, default=100_000, help="entries to score on, at most")
    s.add_argument("--memory", default="", help="what a fit may take, such as 8G; without it, half of what is free")
    s.add_argument("--scratch", default=None, help="folder for the generated data; without it, the system's for temporary files")
    s = study("units", units, 3)
    data(s, False, [5])
    s.add_argument("--netflix", type=one_of([row["netflix"] for row in rows_of("netflix")[:5]]), default=[], help="sets of generated ratings: base,small,medium,large,full")
    s.add_argument("--many", action="store_true", help="also 2,000 × 2,000 with 5,000 features")
    s = studies.add_parser("scale", help=scale.__doc__)
    s.set_defaults(run=scale)
    data(s, True, [5])
    s.add_argument("--threads", type=whole, dest="threads_list", default=[1, 2, 4, 8, 16], help="numbers of threads, the first of which the others are compared with")
    s.add_argument("--more", default="", help="other flags of fit, in one text")
    s = studies.add_parser("benchmarks", help=benchmarks.__doc__)
    s.set_defaults(run=benchmarks)
    s.add_argument("--into", default="docs/notes/benchmarks.md", help="page whose tables get the rows")
    args = parser.parse_args(words)
    args.run(args, None if args.run is benchmarks else Program(args.program))


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        raise SystemExit(f"study: {failed}") from failed
