#!/usr/bin/env python3
"""The table of docs/notes/experiments.md on the remainder under other losses.

    scripts/remainder-losses.py PROGRAM GOODBOOKS [--threads N]

Yes and no: five stars or fewer, of a quarter of the users of goodbooks with 20 ratings at least. Counts are generated:
1,500 x 300, a fifth observed, three features of twelve and four traits without a name. A fifth of either is held out, and every
model is scored on it by its predictions: log-loss and AUC, deviance of Poisson. Only the standard library is needed.
"""

import argparse
import csv
import gzip
import math
import pathlib
import random
import subprocess
import tempfile
import zlib


def liked(folder):
    """The ratings of some users as yes and no."""
    with gzip.open(folder / "ratings.csv.gz", "rt") as f:
        rows = list(csv.reader(f))[1:]
    many = {}
    for user, *_ in rows:
        many[user] = many.get(user, 0) + 1
    return [(u, b, float(v == "5")) for u, b, v, *_ in rows if many[u] >= 20 and zlib.crc32(u.encode()) % 4 == 0]


def counts(features):
    """Counts, with their table of features."""
    r = random.Random(1)
    table = [[r.gauss(0, 1) for _ in range(12)] for _ in range(300)]
    traits = [[r.gauss(0, 1) for _ in range(4)] for _ in range(300)]
    with open(features, "w", newline="") as f:
        csv.writer(f).writerows([["column", *(f"f{x}" for x in range(12))], *([f"c{j}", *(f"{x:.6f}" for x in table[j])] for j in range(300))])
    out = []
    for i in range(1500):
        own, hidden, level = [r.gauss(0, 0.3) for _ in range(3)], [r.gauss(0, 0.3) for _ in range(4)], r.gauss(0, 0.3)
        for j in range(300):
            if r.random() < 0.2:
                rate = math.exp(level + sum(map(float.__mul__, own, table[j])) + sum(map(float.__mul__, hidden, traits[j])))
                n, p = 0, r.random() - math.exp(-rate)  # by inversion
                term = math.exp(-rate)
                while p > 0 and n < 1000:
                    n += 1
                    term *= rate / n
                    p -= term
                out.append((f"r{i}", f"c{j}", float(n)))
    return out


def log_loss(y, p):
    p = [min(max(x, 0.01), 0.99) for x in p]
    return -sum(math.log(x if a else 1 - x) for a, x in zip(y, p)) / len(y)


def auc(y, p):
    order, at, total = sorted(range(len(p)), key=p.__getitem__), 0, 0.0
    while at < len(order):
        end = at
        while end < len(order) and p[order[end]] == p[order[at]]:
            end += 1
        total += (at + 1 + end) / 2 * sum(y[x] for x in order[at:end])
        at = end
    yes = sum(y)
    return (total - yes * (yes + 1) / 2) / (yes * (len(y) - yes))


def deviance(y, p):
    return 2 * sum((a * math.log(a / x) if a else 0) - (a - x) for a, x in zip(y, (max(x, 0.01) for x in p))) / len(y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("goodbooks", type=pathlib.Path)
    parser.add_argument("--threads", default="0")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)

        def run(words):
            done = subprocess.run([args.program, *map(str, words)], capture_output=True, text=True)
            if done.returncode not in (0, 3):
                raise SystemExit(done.stderr)
            return done.stdout

        table = folder / "counts_features.csv"
        yes = ["--features", args.goodbooks / "features.csv.gz", "--complete-features", "-k", 10, "--max-nodes", 1]
        few = ["--features", table, "-k", 3, "--max-nodes", 1]
        print("| data | model | log-loss or deviance | AUC |\n|---|---|---|---|")
        for name, entries, loss, known in (("yes/no", liked(args.goodbooks), "logistic", yes), ("counts", counts(table), "poisson", few)):
            r = random.Random(2)
            held = [r.random() < 0.2 for _ in entries]
            files = {True: folder / "test.csv", False: folder / "train.csv"}
            for which, file in files.items():
                with open(file, "w", newline="") as f:
                    csv.writer(f).writerows([["row", "column", "value"], *(e for e, h in zip(entries, held) if h == which)])
            y = [e[2] for e, h in zip(entries, held) if h]
            for model, flags in (("full", [*known, "--loss", loss]), ("with the remainder", [*known, "--loss", loss, "--residual-rank", "auto"]),
                                 ("SoftImpute", ["--method", "softimpute"]), ("remainder by squared errors", [*known, "--loss", "squared", "--residual-rank", "auto"])):
                run(["fit", files[False], *flags, "--seed", 1, "--quiet", "--threads", args.threads, "-o", folder / "model"])
                with open(folder / "pairs.csv", "w", newline="") as f:
                    csv.writer(f).writerows([["row", "column"], *(e[:2] for e, h in zip(entries, held) if h)])
                rows = list(csv.reader(run(["predict", folder / "model", folder / "pairs.csv"]).splitlines()))
                p = [float(row[rows[0].index("prediction") if "prediction" in rows[0] else 2]) for row in rows[1:]]
                print(f"| {name} | {model} | {deviance(y, p) if loss == 'poisson' else log_loss(y, p):.4f} | {'' if loss == 'poisson' else f'{auc(y, p):.4f}'} |", flush=True)


if __name__ == "__main__":
    main()
