"""Claims on NIST's experiments 1a to 2c from stored runs, by pandas and no code of the package.

`NIST` holds the names that `claims.toml` calls.
"""

# fmt: off
import math
from functools import cache
from statistics import fmean as mean
from statistics import geometric_mean as gmean

import pandas as pd

from .recompute_stored import load

DELAY, FAIR = ["fast", "fast-at"], ["ctcp", "htcp", "fast-at"]
PAIRS = ["DD", "DF", "DN", "FF", "FN", "NN"]
FASTER = {"DD": "very fast", "DF": "fast", "FF": "fast"}
LARGE, LOSING = ["service pack", "movie"], ["fast", "typical"]
FILES = ["web object", "document", *LARGE]
MINUS, INFINITE, FREE = "\N{MINUS SIGN}", "infinite ssthresh", "uncongested"
GRUBBS = {6: 1.887145117784, 7: 2.01996850768, 8: 2.126645087195}  # by algorithms, two-sided, 5 %
LIGHT, HEAVY = ("X1+", "X7+", f"X12{MINUS}"), (f"X1{MINUS}", f"X7{MINUS}", "X12+")

@cache
def responses(study, *labels):  # of the second period, by condition and CCA or by these labels
    keys = [f"of_{label}" for label in labels or ("condition", "cca")]
    found = load(study, "responses").query("n == 1").set_index(keys)
    found = found[[*(f"y{k}" for k in range(1, 23)), "connecting"]].copy()
    classes, ccas = (load(study, name).query("period == 2") for name in ("classes", "ccas"))
    by = classes[classes.cca == classes.of_cca].groupby(keys)
    found["swing"] = ccas[ccas.cca == ccas.of_cca].groupby(keys).swing_relative.sum()
    found["falls"] = by.decreases.sum()
    found["fall"] = by.fallen_packets.sum() / found.falls
    for (pair, kind), own in classes[classes.file == "web object"].groupby(["class", "interface"]):
        sums = own.groupby(keys)[["timed_packets", "fct_sum_s"]].sum()
        if pair in PAIRS:
            found[f"web_{pair}_{kind}"] = sums.timed_packets / sums.fct_sum_s
    for pair, own in classes[classes.file == "long-lived"].groupby("class"):
        found[f"long_{pair}"] = own.groupby(keys).delivered_packets_s.sum()
    return found.replace([math.inf, -math.inf], math.nan)

def order(study):  # conditions by what TCP resends, in 2a to 2c in the algorithm's place
    runs = load(study, "responses").query("n == 1 and of_variant == ''")
    tcp = runs[runs.of_cca == ("tcp" if study > "nist-2" else "reno")].set_index("of_condition")
    return list(tcp.y10.sort_values(kind="stable").index)

def quarter(study, number):
    size = max(1, round(len(order(study)) / 4))
    return order(study)[-size:] if number == 3 else order(study)[number * size :][:size]

def over_others(study, response, cca="fast"):  # in conditions with small buffers
    short = [c for c in quarter(study, 3) if f"X3{MINUS}" in c.split()]
    own = responses(study).eval(response).unstack().loc[short]
    return gmean(own[cca] / own.drop(columns=DELAY, errors="ignore").median(axis=1))

def near(study, condition):
    own = responses(study).xs(condition).dropna(axis=1)
    return ((own - own.median()).abs() <= 0.1 * own.median().abs()).mean(axis=1)

def grubbs(own):  # from 1 on an outlier
    return (own - own.mean()) / (GRUBBS[len(own)] * own.std())

def uncongested_identical(study):
    def quiet(own):
        return not (own / own.mean() - 1).abs().max() >= 0.1 or grubbs(own).abs().max() <= 1

    cells = (responses(study).xs(c).items() for c in quarter(study, 0))
    return mean(mean(quiet(own.dropna()) for _, own in row if own.count() > 5) for row in cells)

def fast_grows_with_congestion(study):
    y10 = responses(study).y10.unstack()
    rest = y10.drop(columns=DELAY, errors="ignore").mean(axis=1)
    return y10.reno.rank().corr((y10.fast - rest).rank())

@cache
def rates(study, variant=""):  # logs: condition by (side, algorithm, file, path, interface)
    rows = load(study, "classes").query("of_variant == @variant").copy()
    rows["file"], own = rows.file.replace("file", "movie"), rows.of_cca.replace("tcp", "hstcp")
    rows["path"] = rows["class"].replace({**dict.fromkeys(PAIRS, "typical"), **FASTER})
    rows["side"] = (rows.cca == own).map({True: "own", False: "tcp"})
    rows = rows[((rows.cca == own) | (rows.cca == "reno")) & rows["class"].isin(PAIRS)]
    rows = rows[rows.file.isin(FILES)]
    by = rows.groupby(["of_condition", "side", "of_cca", "file", "path", "interface"])
    ratio = by.delivered_packets.sum() / by.active_s.sum()
    return ratio.where(ratio > 0).map(math.log, na_action="ignore").unstack([1, 2, 3, 4, 5])

def only(frame, conditions=None, **chosen):
    keep = math.prod(frame.columns.get_level_values(k).isin(v) for k, v in chosen.items()) == 1
    return frame.loc[list(frame.index if conditions is None else conditions), keep]

def groups_of(frame):  # conditions that are the same one to a thousandth
    groups, missing = {}, frame.isna()
    for name, row in frame.iterrows():
        same = (g for g in groups if (row - frame.loc[g]).abs().max() <= 1e-3
                and missing.loc[g].equals(missing.loc[name]))
        groups.setdefault(next(same, name), []).append(name)
    return list(groups.values())

def distinct(frame, groups=None):
    groups = groups or groups_of(frame)
    return pd.DataFrame([frame.loc[g].mean(skipna=False) for g in groups], [g[0] for g in groups])

def corner(study, *levels):
    return [c for c in rates(study).index if any(set(own) <= set(c.split()) for own in levels)]

def ahead(frame):  # logs of own over TCP beside it, over the same of the control
    gap = frame["own"] - frame["tcp"]
    return pd.DataFrame({cca: (gap[cca] - gap["tcp"]).mean(axis=1) for cca in gap.columns.levels[0]
                         if cca != "tcp"})

def common(frame, side):
    return frame[side].drop(columns="tcp", level=0).stack([1, 2, 3], future_stack=True).dropna()

def beside(frame, side="tcp"):
    rows = common(frame, side)
    return rows.sub(rows.mean(axis=1), axis=0).groupby(level=0).mean()

def left(s, files, heavy=False):
    return beside(distinct(only(rates(s), quarter(s, 3) if heavy else None, file=files)))

def resent(study, variant=""):
    rows = load(study, "classes").query("of_variant == @variant and cca == 'reno'")
    by = rows[rows.of_cca != "tcp"].groupby(["of_condition", "of_cca"])
    return (by.retransmissions.sum() / by.delivered_packets.sum()).unstack()

def of_quarter(study, number, files, path=("very fast", *LOSING)):
    return distinct(only(rates(study), quarter(study, number), file=files, path=path))

def gain(*quarter):
    return ahead(of_quarter(*quarter)).mean()

def movies(study):
    fast = {"path": ["very fast"], "interface": ["fast", "normal"]}
    return only(rates(study, FREE), file=["movie"], **fast)

def corners_apart(study, table):
    both = corner(study, LIGHT, HEAVY)
    low, high = (table(study, variant).loc[both, "fast-at"] for variant in ("", INFINITE))
    return math.exp((low - high).mean())

NIST = {
    "over_others": over_others, "uncongested_identical": uncongested_identical,
    "fast_grows_with_congestion": fast_grows_with_congestion,
    "lightly_congested_similar": lambda s: mean(near(s, c).mean() for c in quarter(s, 1)),
    "grubbs_outlier": lambda s, response: mean(
        grubbs(responses(s)[response].xs(c)).fast for c in quarter(s, 3)),
    "unfair_to": lambda s, unfair, files=FILES, heavy=False: min(
        (left(s, files, heavy)[FAIR].mean(axis=1) > left(s, files, heavy)[u]).mean()
        for u in unfair),
    "tcp_resends": lambda s, beside: distinct(resent(s), groups_of(rates(s))).pipe(
        lambda own: min(gmean(own[cca] / own[FAIR].mean(axis=1)) for cca in beside)),
    "fast_at_less_fair": lambda s: corners_apart(s, lambda t, v: beside(rates(t, v))),
    "htcp_below": lambda s: beside(distinct(only(rates(s), file=LARGE)), "own").pipe(
        lambda own: math.exp((own.htcp - own.drop(columns="htcp").mean(axis=1)).mean())),
    "bic_behind": lambda s: math.exp(gain(s, 3, LARGE, LOSING).bic),
    "equal_large": lambda s: gain(s, 3, LARGE, LOSING)[["bic", "ctcp", "hstcp", "scalable"]].map(
        math.exp).between(0.75, 1.25).mean(),
    "sooner": lambda s: math.exp(ahead(distinct(movies(s))).mean().min()),
}
