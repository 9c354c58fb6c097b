#!/usr/bin/env python3
"""Check a proof of OptComplete in exact fractions, for small data of the model paper.

    optcomplete fit ratings.csv --features features.csv -k 2 --model paper --gamma 1 -o model --proof proof.jsonl
    python3 check.py model/model.json ratings.csv features.csv proof.jsonl

For any numbers r and any weights t >= 0 of the features b_j, a row with the values a costs at least
2 a.r - r.r - gamma * sum_j t_j (b_j.r)^2, since the matrix I + gamma sum_j t_j b_j b_j' is positive definite. (Where
entries have weights w, a fourth column of the ratings, r.r is sum r^2/w, and I is diag(1/w).) The
proof names the weights at which such r are good; they are found in floats, whatever that rounds, and the right-hand
side is computed in fractions, without any rounding. The tree is walked from the top, so that nothing can be missing.
"""
import csv, hashlib, itertools, json, math, sys
from fractions import Fraction


def refuse(why):
    sys.exit("refused: " + why)


def residual(a, b, v, s, gamma):
    """Solve (diag(v) + gamma sum_j s_j b_j b_j') r = a in floats, about, where v is 1/w."""
    n = len(a)
    k = [[(e == f) * v[e] + gamma * sum(w * b[e][j] * b[f][j] for j, w in s.items()) for f in range(n)] + [a[e]] for e in range(n)]
    for p in range(n):
        for e in range(p + 1, n):
            by = k[e][p] / k[p][p]
            for f in range(p, n + 1):
                k[e][f] -= by * k[p][f]
    r = [0.0] * n
    for p in reversed(range(n)):
        r[p] = (k[p][n] - sum(k[p][f] * r[f] for f in range(p + 1, n))) / k[p][p]
    return r


def main(model_file, ratings_file, features_file, proof_file):
    model = json.load(open(model_file))
    raw = open(proof_file, "rb").read().splitlines(keepends=True)
    about, *steps, found, end = map(json.loads, raw)
    if hashlib.sha256(b"".join(raw[:-1])).hexdigest() != end["sha256"]:
        refuse("the checksum is wrong")
    table = list(csv.reader(open(features_file)))
    names, feature = table[0][1:], {line[0]: [float(x) for x in line[1:]] for line in table[1:]}
    rows = {}
    for row, column, value, *weight in list(csv.reader(open(ratings_file)))[1:]:
        rows.setdefault(row, []).append((float(value), feature[column], float(weight[0]) if weight else 1.0))
    gamma, k, p = model["gamma"], model["k"], len(names)
    always, never = ([names.index(x) for x in model.get(key, [])] for key in ("always", "never"))
    selected = sorted(names.index(x) for x in model["selected"])
    same = (about["units"], about["k"], about["gamma"], about.get("always", []), about.get("never", []), found["selected"])
    if model["model"] != "paper" or "families" in about or same != (names, k, gamma, sorted(always), sorted(never), selected):
        refuse("it is about something else than the model")
    size = len(rows) * len(feature)

    def cut(s):
        """constant and slopes: rows x columns x cost(t) >= constant - sum_j t_j slope_j for all t >= 0."""
        constant, slope = Fraction(0), [Fraction(0)] * p
        for entries in rows.values():
            a, b, w = zip(*entries)
            r = [Fraction(x) for x in residual(a, b, [1 / x for x in w], s, gamma)]
            constant += sum(2 * Fraction(x) * y - y * y / Fraction(z) for x, y, z in zip(a, r, w))
            for j in range(p):
                slope[j] += Fraction(gamma) * sum(Fraction(x[j]) * y for x, y in zip(b, r)) ** 2
        return constant, slope

    points = [dict(zip(x["point"], x.get("weights", []))) for x in steps if "point" in x and "node" not in x]
    cuts, nodes, least = {}, {}, [None]
    for x in steps:
        if "node" in x:
            nodes.setdefault(x["node"], []).append(x)

    def rule_out(inside, outside, bound):
        free = [j for j in range(p) if j not in inside and j not in outside]
        left = k - len(inside)
        if 0 <= left <= len(free):  # else there is no such selection
            value = max(bound(inside, free, left), Fraction(0))
            least[0] = value if least[0] is None else min(least[0], value)

    def by_cut(number):
        if number not in cuts:
            cuts[number] = cut(points[number])
        constant, slope = cuts[number]
        return lambda inside, free, left: constant - sum(slope[j] for j in inside) - sum(sorted((slope[j] for j in free), reverse=True)[:left])

    def one_by_one(inside, free, left):
        def own(selection):
            constant, slope = cut({j: 1.0 for j in selection})
            return constant - sum(slope[j] for j in selection)
        return min(own(inside | set(more)) for more in itertools.combinations(free, left))

    def walk(node, inside, outside):
        for step in nodes.pop(node, []):  # a node is visited once
            if "fix" in step:
                with_it, without_it = (inside | {step["fix"]}, outside), (inside, outside | {step["fix"]})
                rest, ruled_out = (with_it, without_it) if step.get("in") else (without_it, with_it)
                rule_out(*ruled_out, by_cut(step["cut"]))
                inside, outside = rest
            elif "split" in step:
                walk(step["inside"], inside | {step["split"]}, outside)
                return walk(step["outside"], inside, outside | {step["split"]})
            else:
                listed = step.get("enumerated") or step.get("model")  # what a model rules out is looked at too
                return rule_out(inside, outside, one_by_one if listed else by_cut(step["cut"]))
        rule_out(inside, outside, lambda *_: Fraction(0))  # nothing closes it

    walk(0, frozenset(always), frozenset(never))
    bound, cost = least[0] / size, model["cost"]
    shown = math.nextafter(float(bound), 0) if bound else 0.0
    if bound < Fraction(model["bound"]) - Fraction(cost) / 10**9:
        refuse(f"the model says that no selection costs less than {model['bound']!r}, the proof shows {shown!r}")
    print(f"verified: no selection of {k} features costs less than {shown!r}")


main(*sys.argv[1:])
