"""Claims of `fct`, `vcp` and `senders` from their stored runs, by pandas and NumPy alone."""

# fmt: off
import math
from functools import cache
from itertools import pairwise
from statistics import fmean as mean

import numpy as np
import pandas as pd

from .recompute_stored import course, jain, period_s, port, replicates, run


@cache
def sizes(case, protocol):  # flows that finished, and the sum of their times, by size
    own = pd.concat([run("fct", key, "sizes") for key in replicates("fct", case, protocol)])
    own["time_s"] = own.sender_s.fillna(0) * own.finished
    return own.groupby("size_packets")[["finished", "time_s"]].sum()

def mean_time_s(case, protocol, low, high):  # of flows of at least `low` and less than `high`
    finished, time_s = sizes(case, protocol).loc[low:high - 1].sum()
    return time_s / finished

def fluid_distance(_, case):
    return max(abs(mean_time_s(case, "rcp", *edges) / due - 1)
               for edges, due in zip(pairwise(EDGES[5:]), RCP_FLUID_S[case], strict=True))

def over_slow_start(_):  # at 300,000 packets a second and 100 ms
    own = sizes("base", "tcp").loc[500:2000]
    line_s = (np.log2(own.index + 1) + 0.5) * 0.1 + own.index / 3e5
    return (own.time_s / own.finished / line_s).median()

def sharing_error(_):  # at a load of 0.9
    return max(abs(1.5 * rtt_s + size / 3e4 - due) for rtt_s, table in SHARING_S.items()
               for size, due in zip((1, 10, 100, 500, 1e3, 2e3, 1e4, 1e5), table, strict=True))

def fct_port(_, column, protocol="rcp"):
    return mean(port("fct", key, column) for key in replicates("fct", "base", protocol))

def fct_queue_s(study, protocol="rcp"):  # packets of 1000 B over 2.4 Gbit/s
    return fct_port(study, "mean_queue_packets", protocol) * 8000 / 2.4e9

def queue_share(key):
    return port("vcp", key, "mean_queue_packets") / port("vcp", key, "buffer_packets")

def swept(part, scheme, of, low=0, high=math.inf):  # the mean of the replicates, by level
    each = {float(key[2]): replicates("vcp", *key[:3]) for key in replicates("vcp", part, scheme)}
    return {x: mean(map(of, keys)) for x, keys in each.items() if low <= x <= high}

def queues(scheme, part, crowded):  # by level, with at most one packet for each flow, or more
    window = 0.08e6 / 8000 / 50 if part == "bandwidth" else 150e3 / 8000 / 50
    return {x: q for x, q in swept(part, scheme, queue_share).items()
            if (window * x <= 1) == crowded}

def crowded_queue(_, scheme):
    few, many = ([mean(queues(scheme, part, crowded).values()) for part in ("bandwidth", "delay")]
                 for crowded in (True, False))
    return min(a / b for a, b in zip(few, many, strict=True))

def growth(s):  # of a lone window from 10 packets to half of 450, in a period of 0.2 s
    t_s, window = course(s, ("illustration", "VCP"), "first", "cwnd_packets")
    rows = (window >= 10) & (window <= 225) & (t_s < 100)
    return math.exp(0.2 * np.polyfit(t_s[rows], np.log(window[rows]), 1)[0])

def delivered(s, key, name, times_s):
    return np.interp(times_s, *course(s, key, name, "delivered_packets"), left=0)

def join_fairness(s, scheme):  # over the 15 s before the first of nine flows ends
    key = "illustration", scheme
    flows = run(s, key, "flows").query("traffic.str.startswith('joiner')", engine="python")
    end_s = (flows.start_s + flows.fct_sender_s).min()
    names = ["first", *(f"joiner {i}" for i in range(9))]
    return jain(np.array([np.diff(delivered(s, key, name, (end_s - 15, end_s)))[0]
                          for name in names]))

def joining_rates(s, scheme):  # of five flows, one more each 100 s: over 5 s, each second
    total = np.array([delivered(s, ("joining", scheme), f"flow {i}", np.arange(1.0, 601))
                      for i in range(1, 6)])
    return (total - np.pad(total, ((0, 0), (5, 0)))[:, :-5]) / 5

def fair_after_s(s, scheme):
    rates, times = joining_rates(s, scheme), []
    for flows, join, end in ((2, 100, 200), (3, 200, 300), (4, 300, 400), (5, 400, 600)):
        fair = [t for t in range(join, end) if jain(rates[:flows, t]) >= 0.95]
        times.append(fair[0] + 1 - join if fair else end - join)
    return mean(times)

def losses_outrun(s, scheme, low, high):  # MI grows by 1/16 each 0.2 s, and a loss halves
    rate = swept("lossy", scheme, lambda key: (run(s, key, "flows").delivered_packets.iloc[0]
                                               / port(s, key, "elapsed_s")), low, high)
    return mean(p * x for p, x in rate.items()) * 0.2 * math.log(2) / math.log(1.0625)

def delivered_after_warmup(key, name):
    return np.diff(delivered("senders", key, name, period_s("senders", key)))[0]

def left_to_tcp(s, cca, low=False):  # TCP's packets beside a CCA over those beside another TCP
    pairs = [(key, "other", ("pairs low", "reno", *key[2:]))
             for key in replicates(s, "pairs low", cca)] if low else [
        (key, name, ("pairs", "reno", "reno", *key[3:]))
        for ccas, name in ((("reno", cca), "one"), ((cca, "reno"), "other"))
        for key in replicates(s, "pairs", *ccas)]
    return mean(delivered_after_warmup(key, name)
                / mean(delivered_after_warmup(own, each) for each in ("one", "other"))
                for key, name, own in pairs)

def about_loss(s, cca):  # time and window, and the row at which packet 700,000 is lost
    key = "one loss", cca, "low"
    t_s, window = course(s, key, cca, "cwnd_packets")
    return t_s, window, np.searchsorted(course(s, key, cca, "delivered_packets")[1], 700_000) - 3

def share_kept(s, cca):
    _, window, at = about_loss(s, cca)
    return window[at:at + 6].min() / window[max(0, at - 6):at].max()

def window_gain(s, cca, from_s, to_s):
    t_s, window, at = about_loss(s, cca)
    begin, end = np.searchsorted(t_s, [t_s[at] + from_s, t_s[at] + to_s])
    return window[end] - window[begin]

def loss_exponent(s, cca):
    keys = [key for key in replicates(s, "random loss", "1 Gbit/s", cca)
            if 1e-5 <= float(key[3]) <= 1e-3]
    losses = sorted({key[3] for key in keys}, key=float)
    rates = [mean(run(s, key, "flows").goodput_bps.sum() for key in keys if key[3] == loss)
             for loss in losses]
    return -np.polyfit(np.log(np.array(losses, float)), np.log(rates), 1)[0]

EDGES = 1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000
#: RCP as a fluid, from 100 packets on, and at 1,000 to 2,000 by shape.
RCP_FLUID_S = {"base": (0.211, 0.220, 0.242, 0.281), "rtt 50 ms": (0.110, 0.120, 0.145, 0.189),
               "shape 2.2": (0.211, 0.222, 0.249, 0.293)}
RCP_SHAPES_S = {1.1: 0.236, 1.4: 0.380, 1.8: 0.344}
SHARING_S = {0.1: (0.150, 0.150, 0.153, 0.167, 0.183, 0.217, 0.483, 3.483),
             0.05: (0.075, 0.075, 0.078, 0.092, 0.108, 0.142, 0.408, 3.408),
             0.2: (0.300, 0.300, 0.303, 0.317, 0.333, 0.367, 0.633, 3.633)}
SCHEMES = {
    "fluid_distance": fluid_distance, "over_slow_start": over_slow_start, "growth": growth,
    "port_mean": fct_port, "sharing_error": sharing_error, "losses_outrun": losses_outrun,
    "crowded_queue": crowded_queue, "join_fairness": join_fairness,
    "mean_queue": fct_queue_s, "queue_of_bdp": lambda s: fct_queue_s(s) / 0.1,
    "small_flows": lambda _, protocol: mean_time_s("base", protocol, 1, 20),
    "shape_distance": lambda _: max(
        abs(mean_time_s(f"shape {shape}", "rcp", 1000, 2000) / due - 1)
        for shape, due in RCP_SHAPES_S.items()),
    "largest_ratio": lambda _, of, to, low, high: max(
        mean_time_s("base", of, *edges) / mean_time_s("base", to, *edges)
        for edges in pairwise(EDGES) if edges[0] >= low and edges[1] <= high),
    "end_fairness": lambda s, scheme: jain(joining_rates(s, scheme)[:, -60:].mean(axis=1)),
    "join_ratio": lambda s, slow, fast: fair_after_s(s, slow) / fair_after_s(s, fast),
    "fair": lambda s, spread, scheme: jain(np.mean([
        run(s, key, "flows").delivered_packets
        for key in replicates(s, "round trips", scheme, spread)], axis=0)),
    "fastest_use": lambda s, scheme: max(swept("fastest", scheme, lambda k: port(s, k)).items())[1],
    "least_use": lambda s, part, scheme, low=0, high=math.inf: min(
        swept(part, scheme, lambda key: port(s, key), low, high).values()),
    "most": lambda s, of, part, scheme, low=0: max(swept(part, scheme, queue_share if of ==
        "queue_share" else lambda key: port(s, key, of), low).values()),
    "queue": lambda _, scheme: max(
        share for part in ("bandwidth", "delay") for x, share in queues(scheme, part, False).items()
        if part == "delay" or x >= 10),
    "share_kept": share_kept, "loss_exponent": loss_exponent,
    "gain_ratio": lambda s, cca, from_s, to_s: (
        window_gain(s, cca, from_s, to_s) / window_gain(s, "reno", from_s, to_s)),
    "fair_margin": lambda s, cca: left_to_tcp(s, cca) - max(
        left_to_tcp(s, unfair) for unfair in ("scalable", "bic", "fast")),
    "threshold_effect": lambda s, cca, sign: sign * (
        left_to_tcp(s, cca) - left_to_tcp(s, cca, low=True)),
}
