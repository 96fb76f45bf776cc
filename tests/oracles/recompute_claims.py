"""Claims recomputed from stored runs by pandas and NumPy, with no code of the package.

`FUNCTIONS` holds the names that `claims.toml` calls; claims that are SQL use `by_sql`.
"""

# fmt: off
import math
from statistics import fmean as mean

import duckdb
import numpy as np
import pandas as pd

from . import recompute_models as models
from .recompute_designs import DESIGNS
from .recompute_nist import NIST
from .recompute_schemes import SCHEMES
from .recompute_stored import course, jain, levels, load, period_s, port, replicates, run, runs
from .recompute_today import MEASURES, TODAY, by_tables


def use(*key):
    return port("fast", key)

def queue(key):
    return port("fast", key, "mean_queue_packets") + use(*key)

def shares(key):
    packets = run("fast", key, "flows").delivered_packets.to_numpy(float)
    return packets / packets.sum()

def goodput(key):
    return run("fast", key, "flows").goodput_bps.sum()

def beside_reno(buffer, alpha, sender="doubling"):  # FAST's share, and the queue in BDP of 50 ms
    keys = replicates("fast", "against reno", sender, buffer, alpha)
    return mean(shares(key)[0] for key in keys), mean(map(queue, keys)) / (1e8 * 0.05 / 12000)

def random_loss(_, rate, sender):  # the derived table, and its tolerance
    keys = {p: replicates("fast", "random loss", rate, sender, p) for p in RANDOM_LOSS}
    return max(abs(mean(use(*key) for key in keys[p]) / due - 1) / (0.3 if p >= 3e-3 else 0.15)
               for p, due in RANDOM_LOSS.items() if keys[p])

def by_sql(study, sql):  # a sweep is a table: labels and figures of its runs; mean over seeds
    if study in MEASURES:
        return by_tables(study, sql)
    frame = pd.DataFrame(meta["labels"] | meta["figures"] for meta, *_ in runs(study).values())
    frame["buffer_bdp"] = frame.buffer.str.split().str[0].astype(float)
    values = []
    for _, of_seed in frame.groupby("seed"):
        with duckdb.connect() as database:
            for sweep, own in of_seed.groupby("sweep"):
                database.register(sweep, own)
            values.append(database.execute(sql).fetchone()[0])
    return mean(values)

def cca_at_rest(cca, kind):  # probability of a loss, and rate times round trip, of every run
    found = []
    for key in replicates("flow-level", kind, cca):
        flow = run("flow-level", key, "flows").iloc[0]
        begin_s, end_s = period_s("flow-level", key)
        rate = flow.delivered_packets / (end_s - begin_s)
        found.append((float(key[2]), rate * flow.mean_rtt_s))
    return np.array(found).T

def cells(face):  # of the grid: port and responses of each, window and BDP without a queue
    ports, said = (load("fluid-check", table).query("n == 0 and of_part == 'grid'")
                   for table in ("ports", "responses"))
    ports, said = (t[t.of_face == face].reset_index(drop=True) for t in (ports, said))
    own = ports.join(said[["y11", "y15"]]).assign(flows=ports.of_flows.astype(int))
    number, unit = own.of_rate.str.split(" ").str[0], own.of_rate.str.split(" ").str[1]
    rate_bps = number.astype(float) * unit.map({"Mbit/s": 1e6, "Gbit/s": 1e9})
    own["speed"], own["room"] = rate_bps / 12000, own.of_buffer.astype(float)
    path = own.speed * own.of_rtt_ms.astype(float) / 1e3  # packets
    return own.assign(window=path / own.flows, buffer_packets=(own.room * path).round())

def median_reno_loss(_):  # the model at rest: Mathis' formula at the round trip of the packets
    own = cells("reno").query("flows >= 50 and window >= 10")
    return (1.5 * (own.flows / own.speed / own.y15) ** 2 / own.loss_rate - 1).abs().median()

AGAINST_RENO = ((0.25, 0.02), (0.25, 0.05), (0.25, 0.1), (0.5, 0.05), (0.5, 0.1), (0.5, 0.2),
                (1.0, 0.05), (1.0, 0.1), (1.0, 0.2), (1.0, 0.4), (2.0, 0.1), (2.0, 0.4))
RANDOM_LOSS = {1e-5: 0.99, 3e-5: 0.98, 1e-4: 0.93, 3e-4: 0.82, 1e-3: 0.59, 3e-3: 0.30, 1e-2: 0.093}
FUNCTIONS = NIST | DESIGNS | SCHEMES | TODAY | {
    "random_loss": random_loss, "distance_of_row": models.row_apart,
    "against_reno": lambda _, sender, **__: max(
        abs(beside_reno(*each, sender)[1] / models.queue_beside_reno(*each) - 1)
        for each in AGAINST_RENO),
    "farthest_from_even": lambda _: max(abs(beside_reno(b, a)[0] / 0.5 - 1) for b, a in (
        (0.25, 0.1), (0.5, 0.2), (1.0, 0.4), (2.0, 0.8))),
    "goodput_ratio": lambda _: goodput(("burstiness", "pace")) / goodput(("burstiness", "none")),
    "dsl_mean_rtt": lambda s, rtt_ms: run(s, ("dsl", "fast", rtt_ms), "flows").mean_rtt_s.iloc[0],
    "dsl_largest_rtt": lambda s, rtt_ms: np.nanmax(
        course(s, ("dsl", "reno", rtt_ms), "reno", "srtt_s")[1]),
    "kaist_queue": lambda s, cca: (port(s, ("kaist", cca), "mean_queue_packets")
                                   / port(s, ("kaist", cca), "buffer_packets")),
    "fairness_of_latecomers": lambda _: max(
        abs(jain(shares(("latecomers", n))) / jain(models.late_rates(n)) - 1)
        for n in (2, 3, 5, 10)),
    "two_gbit_use": lambda _: use("two gbit"),
    "long_fat_ratio": lambda s: min(
        mean(map(goodput, replicates(s, "long fat", "fast", p)))
        / mean(map(goodput, replicates(s, "long fat", "reno", p)))
        for p in levels(s, "long fat", 2) if float(p)),
    "short_use": lambda s, form: min(
        use("short buffers", form, b) for b in levels(s, "short buffers", 2)),
    "shortest_use": lambda _, form: use("short buffers", form, 0.1),
    "equal_shares": lambda s: max(
        abs(np.mean([shares(k) for k in replicates(s, "round trips")], axis=0) * 4 - 1)),
    "queue_of_flows": lambda s: max(
        abs(mean(map(queue, replicates(s, "together", n))) / (n * 50) - 1) for n in (1, 2, 4, 8)),
    "queue_spread": lambda s: (max(map(queue, replicates(s, "capacity")))
                               / min(map(queue, replicates(s, "capacity")))),
    "coordinate": lambda _, axis, **__: models.point_b()[axis],
    "time_of": lambda _, **__: models.point_b().t,
    "alpha": lambda _, cca, kind: math.exp(
        np.log(np.prod(cca_at_rest(cca, kind), axis=0)).mean()),
    "exponent": lambda _, cca, kind: -np.polyfit(*np.log(cca_at_rest(cca, kind)), 1)[0],
    "median_reno_loss": median_reno_loss,
    "worst_one_flow": lambda _: (1 / cells("reno").query(
        "flows == 1 and room >= 1 and window >= 20").utilisation - 1).abs().max(),
    "worst_fast_queue": lambda _: cells("fast").query("window >= 10").pipe(
        lambda own: ((own.mean_queue_packets + own.utilisation)
                     / (0.5 * own.buffer_packets).clip(lower=own.flows) - 1).abs().max()),
    "contraction": models.contraction, "updates_until_full": models.updates_until_full,
    "contraction_of_full_pairs": lambda _: models.starts("one")[1],
    "distance_left": lambda _: max(
        models.starts(name)[0][-1].max() for name in models.NETWORKS),
    "rounds": lambda _, kind: max(
        abs(windows[losses == p].mean() / models.mean_window(cca, p) - 1) for cca in models.RULES
        for losses, windows in [cca_at_rest(cca, kind)] for p in np.unique(losses)),
}
