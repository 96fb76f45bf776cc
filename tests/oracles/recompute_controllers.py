"""Measures of Copa, Vivace, LEDBAT++ and GCC from their stored runs, by pandas and NumPy."""

# fmt: off
import numpy as np

from .recompute_stored import PACKET_BITS, jain, period_s, run

STUDY = "new-controllers"


def measure_controllers(key, meta):
    part = meta["labels"]["part"]
    begin, end = period_s(STUDY, key)
    port = run(STUDY, key, "ports").iloc[0]
    flows = run(STUDY, key, "flows")
    flows = flows[flows.traffic != "files"]
    flows = flows.sort_values("traffic", key=lambda names: names == "other", kind="stable")
    rates = list(flows.delivered_packets * PACKET_BITS / (end - begin) / 1e6)
    if part in ("calls", "ramp"):
        rates = list(run(STUDY, key, "media").received_bps / 1e6) + rates
    rates = np.array(rates, float)
    waiting = port.mean_queue_packets + port.utilisation
    found = {"sent_mbps": rates.sum(), "jain": jain(rates), "utilisation": port.utilisation,
             "queue_packets": waiting, "queue_ms": waiting * PACKET_BITS / port.rate_bps * 1e3}
    if len(rates) == 2:
        found |= {"share": rates[0] / rates.sum(), "other_mbps": rates[1]}
    if part == "drift":
        found |= measure_drift(key, begin, end, port.rate_bps)
    if part == "ramp":
        found |= measure_ramp(call(key))
    if part == "calls":
        found |= {"kept": median_kept(call(key), begin),
                  "call_share": rates[0] * 1e6 / port.rate_bps}
    return found

def call(key):
    series = run(STUDY, key, "media_series")
    return series[series.name == "one"].reset_index(drop=True)

def measure_drift(key, begin, end, rate_bps):
    series = run(STUDY, key, "series")
    series = series[series.name == "bottleneck"]
    early = series[(series.t_s > begin) & (series.t_s <= 600)].queue_packets.median()
    late = series[series.t_s > end - 600].queue_packets.median()
    return {"early_ms": early * PACKET_BITS / rate_bps * 1e3,
            "late_ms": late * PACKET_BITS / rate_bps * 1e3}

def measure_ramp(one):
    first, last = (np.exp(np.interp(one.t_s[0] + after, one.t_s, np.log(one.target_bps)))
                   for after in (1, 11))
    return {"growth_per_s": (last / first) ** 0.1 - 1,
            "grown": one.target_bps.iloc[-1] / one.target_bps.iloc[0]}

def median_kept(one, begin):  # after a fall of a twentieth, over the ten rows before it
    kept = one.target_bps / one.received_bps.rolling(10).mean().shift(1)
    falls = (one.target_bps < 0.95 * one.target_bps.shift(1)) & (one.t_s > begin) \
        & (one.t_s.diff() < 0.15)
    return kept[falls].median()
