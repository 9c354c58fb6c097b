#!/usr/bin/env python3
"""Compares best-subset logistic regression with abess and L0Learn.

Draws tables of 1,000 rows and 200 features (correlation 0.5 between neighbours), of
which five make the odds, and lets each program select five: the same supports,
ours with a bound.

    go build ./cmd/optcomplete
    python3 scripts/compare-subsets.py ./optcomplete 5 2>log    # five tables

Needs numpy and abess (pip install numpy abess). L0Learn is an R package; where Rscript
cannot load it, its column is empty.
"""
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

n, p, k = 1000, 200, 5


def processor():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(work):
    """The support that work selects, and its processor time."""
    before = processor()
    found = work()
    return found, processor() - before


def draw(seed, strength):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p))
    for j in range(1, p):
        x[:, j] = 0.5 * x[:, j - 1] + np.sqrt(0.75) * x[:, j]
    truth = np.sort(rng.choice(p, k, replace=False))
    odds = x[:, truth] @ (strength * rng.choice([-1, 1], k))
    return x, (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int), truth


def ours(program, table, *flags):
    done = subprocess.run([program, "regress", table, "--target", "y", "-k", str(k), "--loss", "logistic", "--time-limit", "120s",
                           "--json", *flags], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    said = json.loads(done.stdout)
    return {int(name[1:]) for name in said["selected"]}, said["gap"], said["status"]


def abess(x, y):
    from abess.linear import LogisticRegression
    return set(np.flatnonzero(LogisticRegression(support_size=k).fit(x, y).coef_))


def l0learn(table):
    script = """library(L0Learn); d <- read.csv(commandArgs(TRUE)[1]); y <- d$y; d$y <- NULL
        fit <- L0Learn.fit(as.matrix(d), 2 * y - 1, loss = "Logistic", penalty = "L0", algorithm = "CDPSI", maxSuppSize = 20)
        size <- fit$suppSize[[1]]; at <- which(size == 5); if (length(at) == 0) at <- which.min(abs(size - 5))
        b <- coef(fit, lambda = fit$lambda[[1]][at[1]], gamma = 0); cat(which(b[-1] != 0) - 1)"""
    done = subprocess.run(["Rscript", "-e", script, table], capture_output=True, text=True)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    return {int(j) for j in done.stdout.split()}


def main(program, tables):
    print("| table | strength | true | ours: gap, s | same as abess | same as L0Learn | true ones: ours, abess, L0Learn |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for seed in range(tables):
        strength = [1.0, 0.5, 0.3][seed % 3]
        x, y, truth = draw(seed, strength)
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "table.csv")
            with open(table, "w", newline="") as file:
                out = csv.writer(file)
                out.writerow([f"x{j}" for j in range(p)] + ["y"])
                out.writerows([*map(repr, map(float, row)), v] for row, v in zip(x, y))
            (own, gap, status), seconds = timed(lambda: ours(program, table))
            other, theirs = timed(lambda: abess(x, y))
            third, rs = timed(lambda: l0learn(table))
        hits = [str(len(s & set(truth))) if s is not None else "–" for s in (own, other, third)]
        same = "–" if third is None else "yes" if own == third else f"{len(own & third)} of {len(third)}"
        print(f"| {seed} | {strength} | {' '.join(map(str, truth))} | {status}, {100 * max(gap, 0):.2g} %, {seconds:.2g} s |",
              f"{'yes' if own == other else f'{len(own & other)} of 5'} ({theirs:.2g} s) | {same} ({rs:.2g} s) | {', '.join(hits)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
