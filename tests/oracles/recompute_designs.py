"""Claims on other settings, durations and sizes of NIST's experiments, by pandas alone."""

# fmt: off
import math
from fractions import Fraction
from functools import cache
from statistics import fmean as mean

import numpy as np
import pandas as pd

from .recompute_nist import DELAY, responses
from .recompute_stored import load, runs

#: F of one factor at 5 % and 1 %, by the degrees of freedom of the error.
F_LIMITS = {126: (3.9163, 6.8404), 190: (3.8909, 6.7702), 254: (3.8783, 6.7357)}


def hold(study, response, cca="fast", sign=1, bound=1.0):
    own = responses(study)[response].unstack()
    ratio = own[cca] / own.drop(columns=DELAY).median(axis=1)
    return (sign * (ratio - bound) > 0).mean()

@cache
def durations():  # by experiment, length and algorithm
    keys = "experiment", "length", "cca"
    found, links = responses("nist-duration", *keys).copy(), load("nist-duration", "links")
    between = links[(links["from"].str.len() == 1) & (links.to.str.len() == 1)]
    by = between[between.period == 2].groupby([f"of_{key}" for key in keys])
    return found.assign(utilisation=by.utilisation.mean()).unstack(1).swaplevel(axis=1)

def farthest(study, response):  # no count of the two intervals differs
    return (durations()["short"][response] / durations()["published"][response] - 1).abs().max()

def same_signs(study):
    kept = []
    for _, rows in durations().groupby(level=0):
        own = rows.droplevel(0)
        whole, short = ((t.drop("reno") / t.loc["reno"].where(t.loc["reno"] > 0)).stack()
                        for t in (own["published"], own["short"]))
        apart = whole.index[(whole - 1).abs() > 0.1].intersection(short.index)
        kept += list((whole[apart] > 1) == (short[apart] > 1))
    return mean(kept)

@cache
def settings(study):  # of every run and period: its factors, and 25 responses, counts a second
    found = load(study, "responses")[[*(f"y{k}" for k in range(1, 23)), "interval_s", "n",
                                      "of_condition", "of_cca"]].copy()
    for count in ("y3", "y4", "y6", "y8", "y12", "y13", "y14"):
        found[count] /= found.interval_s
    for share, count in (("y7", "y6"), ("y9", "y8")):
        found[share] = (found[count] / (found[count] + found.y1)).where(found[count] + found.y1 > 0)
    classes, keys = load(study, "classes"), ["of_condition", "of_cca", "n"]
    long = classes[classes.file == "long-lived"].assign(n=classes.period - 1)
    flows = {(meta["labels"]["condition"], own["name"][-2:]): own["count"]
             for meta, *_ in runs(study).values() for own in meta["scenario"]["traffic"]
             if own["name"].startswith("long-lived")}
    sums = long.groupby([*keys, "class"]).delivered_packets_s.sum().unstack()
    found = found.join(sums[["DD", "DF", "FF"]], on=keys).fillna({"DD": 0, "DF": 0, "FF": 0})
    for pair in ("DD", "DF", "FF"):
        found[pair] /= [flows.get((c, pair), 1) for c in found.of_condition]
    return found.drop(columns="interval_s")

def weight(level, values):  # the weight of an effect in Psi: one-way F at 5 % and 1 %
    groups = [own.dropna() for _, own in values.groupby(level)]
    within = sum(((own - own.mean()) ** 2).sum() for own in groups)
    every = pd.concat(groups)
    between, freedom = ((every - every.mean()) ** 2).sum() - within, len(every) - 2
    return sum(between * freedom > limit * within for limit in F_LIMITS[freedom]) / 2

def psi(study, factor):
    rows = settings(study)
    mean_of = rows.groupby(["of_condition", "of_cca"]).mean(numeric_only=True)
    names = rows.columns.difference(["n", "of_condition", "of_cca"])
    kinds = [[rows[rows.n == n].set_index("of_condition") for n in range(3)],
             [mean_of.xs(cca, level=1) for cca in ("reno", "ctcp")]]
    return mean(mean(mean(weight(t.index.str.contains(f"{factor}+", regex=False), t[r])
                          for r in names) for t in kind) for kind in kinds)

def groups(study):  # responses that all go together, the largest group first
    rows = settings(study).query("n == 1")[[f"y{k}" for k in range(1, 23)]]
    r = rows.loc[:, rows.std() > 0].corr().abs()
    def largest(own, left):
        found = [largest([*own, name], [b for b in left[i + 1:] if r[name][b] > 0.65])
                 for i, name in enumerate(left)]
        return max(found, key=lambda g: (len(g), round(r.loc[g, g].sum().sum(), 9)), default=own)
    left, count = list(r), 0
    while left:
        chosen = largest([], left)
        left, count = [name for name in left if name not in chosen], count + 1
    return count

def effect(study, response, factor):  # over the grand mean, if it is significant at 1 %
    rows = load(study, "responses").query("n == 1 and of_cca in ('reno', 'ctcp')")
    raised, values = rows.of_condition.str.contains(f"{factor}+", regex=False), rows[response]
    strong = weight(raised, values) == 1
    return (values[raised].mean() - values[~raised].mean()) / values.mean() if strong else 0.0

def by_size(study, response):  # logs, the mean over seeds: a column a size, the least first
    own = responses(study, "condition", "size", "cca", "seed")[response]
    logs = np.log(own.where(own > 0)).groupby(level=[0, 1, 2]).mean().unstack(1)
    return logs[sorted(logs, key=Fraction)]

def worst(study, response):  # of the next size from the largest
    logs = by_size(study, response)
    return (np.exp(logs.iloc[:, -2] - logs.iloc[:, -1]) - 1).abs().max()

def long_flow(study):
    logs = by_size(study, "long_DD").loc["light"]
    return math.exp((logs.iloc[:, 0] - logs.iloc[:, -1]).mean())

def power(study, response, condition):
    logs = by_size(study, response).loc[condition].mean()
    return np.polyfit([math.log(Fraction(size)) for size in logs.index], logs, 1)[0]

DESIGNS = {
    "hold": hold, "farthest": farthest, "same_signs": same_signs, "psi": psi, "groups": groups,
    "effect": effect, "worst": worst, "long_flow": long_flow, "power": power,
}
