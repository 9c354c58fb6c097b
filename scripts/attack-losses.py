#!/usr/bin/env python3
"""Compares the certificates of regress under every loss with brute force.

Draws small tables that are hard on rounding (units from 1e-6 to 1e6, features
that differ in the seventh digit, large means, weights from 1e-3 to 1e3, γ from
1e-4 to 1e6), lets the program select and prove, and fits every selection again
with its own Newton steps in 60 digits. Needs mpmath (pip install mpmath).

    go build ./cmd/optcomplete
    python3 scripts/attack-losses.py ./optcomplete 0 800     # instances 0 to 799

Prints every instance on which the program was wrong, then a count of what it
said, and ends with exit code 1 if it was wrong once.
"""
import collections
import csv
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

from mpmath import exp, log, lu_solve, matrix, mp, mpf, sign, sqrt

mp.dps = 60


class Instance:
    """One table, and the settings it is fitted with."""

    def __init__(self, number):
        r = random.Random(number)
        self.n, self.p = r.randint(4, 12), r.randint(3, 6)
        self.k = r.randint(1, min(3, self.p - 1))
        self.loss = r.choice(["logistic", "poisson", "huber", "squared"])
        self.x = [[0.0] * self.p for _ in range(self.n)]
        for j in range(self.p):
            kind, unit = r.random(), 10 ** r.uniform(-6, 6)
            for row in self.x:
                if kind < 0.3:
                    row[j] = float(r.randint(0, 1))
                elif kind < 0.5 and j:
                    row[j] = row[j - 1] * (1 + 1e-7 * r.gauss(0, 1))
                elif kind < 0.6:
                    row[j] = 1e6 + r.gauss(0, 1)
                else:
                    row[j] = unit * r.gauss(0, 1)
        self.y = [self.value(r) for _ in range(self.n)]
        weighed = r.random() < 0.4 or self.loss == "squared"
        self.weights = [10 ** r.uniform(-3, 3) if weighed else 1.0 for _ in range(self.n)]
        self.nonnegative, self.intercept = r.random() < 0.3, r.random() < 0.7
        self.gamma = 10 ** r.uniform(-4, 6)

    def value(self, r):
        if self.loss == "logistic":
            return float(r.random() < r.choice([0.1, 0.5]))
        if self.loss == "poisson":
            return float(r.choice([0, 1, 2, r.randint(0, 10 ** r.randint(0, 5))]))
        return r.gauss(0, 1) * 10 ** r.choice([0, 0, 3])

    def fit(self, program):
        """What the program says of it."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "table.csv")
            with open(table, "w", newline="") as file:
                out = csv.writer(file)
                out.writerow([f"f{j}" for j in range(self.p)] + ["w", "y"])
                for row, w, y in zip(self.x, self.weights, self.y):
                    out.writerow([repr(v) for v in [*row, w, y]])
            command = [program, "regress", table, "--target", "y", "-k", str(self.k), "--gamma", repr(self.gamma),
                       "--loss", self.loss, "--weight", "w", "--refit", "ridge", "--json"]
            command += ["--delta", "1"] * (self.loss == "huber")
            command += ["--nonnegative", "all"] * self.nonnegative + ["--no-intercept"] * (not self.intercept)
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode not in (0, 3):
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
        return json.loads(done.stdout)

    def standardised(self):
        """The features as docs/regression.md says that they are scaled."""
        columns = []
        for j in range(self.p):
            column = [mpf(row[j]) for row in self.x]
            mean = self.mean(column) if self.intercept else mpf(0)
            scale = sqrt(self.mean((v - mean) ** 2 for v in column))
            constant = scale <= 1e-14 * max(map(abs, column))
            columns.append([mpf(0) if constant else (v - mean) / scale for v in column])
        return columns

    def mean(self, values):
        """The mean by the weights of the rows."""
        weights = [mpf(w) for w in self.weights]
        return sum(w * v for w, v in zip(weights, values)) / sum(weights)

    def cost(self, columns, selection):
        """The least cost of a selection. Where coefficients must not be negative,
        it is that of the best part of the selection whose own are not."""
        parts = [selection]
        if self.nonnegative:
            parts = [s for size in range(len(selection) + 1) for s in itertools.combinations(selection, size)]
        best = None
        for part in parts:
            named = [columns[j] for j in part]
            # The intercept is free where regress takes it out of the problem, and a constant
            # with a coefficient of next to no cost elsewhere.
            free = self.loss == "squared" and not self.nonnegative
            constant = [[mpf(10) ** (20 if free else 4)] * self.n] if self.intercept else []
            cost, u = self.newton(list(zip(*(named + constant))) or [()] * self.n)
            if self.nonnegative and any(v < 0 for v in u[:len(part)]):
                continue
            best = cost if best is None else min(best, cost)
        return best / self.n

    def newton(self, rows):
        size = len(rows[0])
        u = [mpf(0)] * size

        def predictions(u):
            return [sum(b * v for b, v in zip(row, u)) for row in rows]

        def total(x, u):
            fit = sum(w * self.at(y, v)[0] for w, y, v in zip(self.weights, self.y, x))
            return fit + sum(v * v for v in u) / mpf(self.gamma)

        x = predictions(u)
        cost = total(x, u)
        for _ in range(400 if size else 0):
            slope = matrix([2 * v / mpf(self.gamma) for v in u])
            curve = matrix(size, size)
            for a in range(size):
                curve[a, a] = 2 / mpf(self.gamma)
            for row, w, y, v in zip(rows, self.weights, self.y, x):
                _, s, c = self.at(y, v)
                for a in range(size):
                    slope[a] += w * s * row[a]
                    for b in range(size):
                        curve[a, b] += w * c * row[a] * row[b]
            step = lu_solve(curve, slope)
            gain = sum(step[a] * slope[a] for a in range(size))
            if gain < mpf(10) ** -40 * (1 + abs(cost)):
                break
            part = mpf(1)
            while True:
                to = [v - part * step[a] for a, v in enumerate(u)]
                there = predictions(to)
                if self.loss != "poisson" or max(there) < 200:
                    after = total(there, to)
                    if after <= cost - part * gain / 10 or part < 1e-30:
                        break
                part /= 2
            u, x, cost = to, there, after
        return cost, u

    def at(self, a, x):
        """Loss, slope and curvature."""
        a = mpf(a)
        if self.loss == "logistic":
            p = 1 / (1 + exp(-x))
            return log(1 + exp(x)) - a * x, p - a, p / (1 + exp(x))
        if self.loss == "poisson":
            e = exp(x)
            return e - a * x + (a * log(a) if a else 0) - a, e - a, e
        if self.loss == "huber" and abs(x - a) > 1:
            return 2 * abs(x - a) - 1, 2 * sign(x - a), mpf(0)
        return (x - a) ** 2, 2 * (x - a), mpf(2)


def wrong(said, own, best):
    """What is false in what was said, given the exact cost and the exact optimum."""
    if mpf(said["bound"]) > best * (1 + mpf(10) ** -9):
        yield "a bound that a selection beats"
    if said["status"] == "optimal" and own > best * (1 + mpf(10) ** -8):
        yield "optimal, and is not"
    if mpf(said["cost"]) < own * (1 - mpf(10) ** -9):
        yield "a cost that the selection does not reach"
    if said["status"] == "optimal" and mpf(said["cost"]) > own * (1 + mpf(10) ** -8):
        yield "a cost that is too high"


def main(program, first, end):
    counts, failed = collections.Counter(), 0
    for number in range(first, end):
        instance = Instance(number)
        try:
            said = instance.fit(program)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"instance {number}: {error}", flush=True)
            failed += 1
            continue
        columns = instance.standardised()
        costs = {s: instance.cost(columns, s) for s in itertools.combinations(range(instance.p), instance.k)}
        chosen = tuple(sorted(int(name[1:]) for name in said["selected"]))
        own = costs[chosen] if chosen in costs else instance.cost(columns, chosen)
        faults = list(wrong(said, own, min(costs.values())))
        failed += bool(faults)
        for fault in faults:
            print(f"instance {number}: {fault}: cost {said['cost']}, bound {said['bound']}, {said['status']};",
                  f"exactly {float(own)}, best {float(min(costs.values()))}", flush=True)
        counts[instance.loss, said["status"]] += 1
    for (loss, status), count in sorted(counts.items()):
        print(f"{loss}: {count} {status}")
    print(f"{end - first} instances, {failed} wrong")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
