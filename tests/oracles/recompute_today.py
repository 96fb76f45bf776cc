"""Claims of five studies of current questions from their stored runs, by pandas and NumPy."""

# fmt: off
import math
import tomllib
from functools import cache
from statistics import fmean as mean

import duckdb
import numpy as np
import pandas as pd

from .recompute_controllers import STUDY as CONTROLLERS
from .recompute_controllers import measure_controllers
from .recompute_stored import PACKET_BITS, ROOT, replicates, run, runs


def size(text):  # a quantity of a scenario in bit/s or s
    number, unit = text.split()
    scale = {"kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "us": 1e-6, "ms": 1e-3, "s": 1}
    return float(number) * scale[unit]

@cache
def parts(study):  # a frame of labels and measures of every run, by part
    rows = [meta["labels"] | MEASURES[study](key, meta) for key, (meta, *_) in runs(study).items()]
    return {part: own.dropna(axis=1, how="all")
            for part, own in pd.DataFrame(rows).groupby("part")}

def by_tables(study, sql):  # mean over seeds; the largest of named values
    frames, values = parts(study), []
    seeded = [own for name, own in frames.items() if "seed" in own and f"{name}" in sql]
    for seed in sorted(set().union(*(own.seed for own in seeded))) or [None]:
        with duckdb.connect() as database:
            for name, own in frames.items():
                database.register(name, own[own.seed == seed] if "seed" in own else own)
            found = database.execute(sql).fetchall()
        values.append(max(row[-1] for row in found))
    return mean(values)

def measure_mix(key, meta):
    classes, port = run("mix", key, "classes"), run("mix", key, "ports").iloc[0]
    flows = classes[classes.file == "long-lived"]
    seconds = (classes.end_s - classes.start_s).iloc[0]
    rates = (flows.delivered_packets * PACKET_BITS / seconds / port.rate_bps).groupby(
        flows.cca == "cubic").sum()
    switched, stayed = rates.get(False, 0.0), rates.get(True, 0.0)
    own, network = run("mix", key, "series"), meta["scenario"]["network"]
    own = own[own.name == "switched"]
    half = own.iloc[len(own) // 2:]
    x, count, rtt = (float(meta["labels"]["buffer"]), int(meta["labels"]["switched"]),
                     size(network["rtt"]))
    bdp = size(network["rate"]) * rtt / PACKET_BITS
    sends = 1 - (x * rtt + 0.2 + rtt) / 10
    loss_based = max(0, 0.5 - 0.5 / x - 4 * count / (x * bdp))
    peak = 0 if x <= 1 else min(1, max(0, ((1 + x) / 2 - 4 * count / bdp) / (0.925 * (1 + x))))
    return {"share": switched / (switched + stayed), "switched_rate": switched,
            "stayed_rate": stayed, "ware": (1 - loss_based) * sends,
            "ours": (1 - peak) / (1 - peak + 0.925 * peak) * sends,
            "flight_over_window": (half.in_flight_packets / half.cwnd_packets).median()}

def stops(place, cca, buffer, rtts="equal"):  # in each replicate
    own = parts("mix")["mixes"].query(
        "place == @place and buffer == @buffer and rtts == @rtts and cca in (@cca, 'cubic')")
    found = []
    for _, mix in own.sort_values("switched").groupby("seed"):
        if len(mix) < own.switched.nunique():
            continue
        flows = int(mix.switched.max())
        def at(k, column, mix=mix):
            return np.interp(k, mix.switched, mix[column])
        stop = next((k for k in range(flows) if at(k + 1, "switched_rate") / (k + 1)
                     <= at(k, "stayed_rate") / (flows - k)), flows)
        found.append(stop / flows)
    return np.array(found)

def change_over_round_trips(_, place, cca, buffers):
    equal, spread = (np.array([stops(place, cca, b, rtts) for b in buffers])
                     for rtts in ("equal", "spread"))
    return mean(abs(spread - equal).mean(axis=0) - (equal.max(axis=0) - equal.min(axis=0)) / 2)

def distance_from_ends(_, cca, places, buffers):
    found = np.array([stops(place, cca, buffer) for place in places for buffer in buffers])
    return mean(np.minimum(found, 1 - found).min(axis=0))

def measure_cubic(key, meta):
    flows, port = run(CUBIC, key, "flows"), run(CUBIC, key, "ports").iloc[0]
    scenario = meta["scenario"]
    seconds = size(scenario["duration"]) - size(scenario["measure"]["warmup"])
    kinds = flows.traffic.str.split(".").str[0]
    one, other = (flows.delivered_packets[kinds == name].sum() / seconds
                  for name in ("one", "other"))
    rtts = {f"{name}_rtt_s": flows.mean_rtt_s[kinds == name].mean() for name in ("one", "other")}
    found = {"share": one / (one + other), "one_rate": one, "other_rate": other,
             "queue_share": port.mean_queue_packets / port.buffer_packets,
             "utilisation": port.utilisation,
             "mean_window": one * float(meta["labels"].get("rtt_ms", 0)) / 1e3, **rtts}
    return found | (measure_join(CUBIC, key, flows) if meta["labels"]["part"] == "join" else {})

def measure_join(study, key, flows):
    series = run(study, key, "series")
    begin = flows.start_s[flows.traffic == "one"].iloc[0]
    every = np.arange(begin, series[series.name == "one"].t_s.max(), 5)
    one, other = (np.diff(np.interp(every, own.t_s, own.delivered_packets))
                  for own in (series[series.name == name] for name in ("one", "other")))
    shares = one / (one + other)
    means = [mean(shares[i:i + 4]) for i in range(len(shares) - 3)]
    fair = [i for i, share in enumerate(means) if 0.4 <= share <= 0.6]
    return {"first_share": shares[:6].mean(), "last_share": shares[-12:].mean(),
            "fair_after_s": 5.0 * (fair[0] + 1 if fair else len(shares))}

def measure_new(key, meta):
    joins = meta["labels"]["part"] == "joins"
    newcomer = measure_join(CONTROLLERS, key, run(CONTROLLERS, key, "flows")) if joins else {}
    return measure_controllers(key, meta) | newcomer

def largest_ratio(cca, beyond):  # over jitters beyond twice the range, or up to that
    cells = {}
    for key, (meta, *_) in runs("starvation").items():
        labels = meta["labels"]
        if labels["part"] == "pairs" and labels["cca"] == cca and labels["jitter_ms"] > 0:
            double_ms = 2e3 * delay_range_s(cca, labels["rate_mbps"])
            if (labels["jitter_ms"] > double_ms) == beyond:
                less, more = sorted(run("starvation", key, "flows").delivered_packets)
                cell = labels["rate_mbps"], labels["side"], labels["jitter_ms"]
                cells.setdefault(cell, []).append(math.log(more / max(less, 1)))
    return math.exp(max(map(mean, cells.values()))) if cells else math.nan

@cache
def delay_range_s(cca, rate_mbps):
    key = ("alone", cca, str(rate_mbps))
    warmup = size(runs("starvation")[key][0]["scenario"]["measure"]["warmup"])
    series = run("starvation", key, "series")
    queue = series[series.t_s > warmup].queue_packets
    return (queue.quantile(0.99) - queue.quantile(0.01)) * PACKET_BITS / rate_mbps / 1e6

def l4s_rates(key):  # Mbit/s of both flows
    flows = run("l4s-tests", key, "flows").set_index("traffic")
    return np.array([flows.goodput_bps[name] / 1e6 for name in ("one", "other")])

def measure_l4s(key, _):
    return dict(zip(("one_mbps", "other_mbps"), l4s_rates(key), strict=True))

def find_distance(study, row, form="none"):  # the larger relative distance of both rates
    file = ROOT / "studies" / "headgate_studies" / "l4s_tests" / "published.toml"
    for part, rows in tomllib.loads(file.read_text()).items():
        for one in rows:
            if one["row"] == row:
                keys = replicates(study, part, row, form)
                ours = np.mean([l4s_rates(key) for key in keys], axis=0)
                return abs(ours / one["mbps"] - 1).max()
    return math.nan

def find_rate(study, frames, rtt, flows, form="today"):  # Mbit/s of RTP packets in a period
    return mean(run(study, key, "media").received_bps.iloc[flows] * 1372 / 1414 / 1e6
                for key in replicates(study, "steps", frames, rtt, form))

CUBIC = "cubic-rfc9438"
MEASURES = {"mix": measure_mix, CUBIC: measure_cubic, "l4s-tests": measure_l4s,
            CONTROLLERS: measure_new}
TODAY = {
    "distance_from_ends": distance_from_ends, "change_over_round_trips": change_over_round_trips,
    "fall_of_stop": lambda _, place, cca, shallow, deep: mean(
        stops(place, cca, shallow) - stops(place, cca, deep)),
    "find_distance": find_distance, "find_rate": find_rate,
    "largest_beyond": lambda _, cca: largest_ratio(cca, beyond=True),
    "largest_within": lambda _, cca: largest_ratio(cca, beyond=False),
}
