"""Models that claims compare runs with, solved by NumPy and no code of the package."""

# fmt: off
import math
from functools import cache

import numpy as np
import pandas as pd


@cache
def joined(flows):  # queues in alpha/C that late-comers find: the sum of 1/(q - e) is 1
    found = np.zeros(1)
    for _ in range(flows):
        low, high = found[-1], found[-1] + len(found) + 1
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if (1 / (middle - found)).sum() > 1 else (low, middle)
        found = np.append(found, low)
    return found

def late_rates(flows):
    return 1 / (joined(flows)[-1] - joined(flows)[:-1])

def queue_beside_reno(buffer, alpha):  # in BDP: Reno's window grows by a packet a round trip
    half = (1 - alpha / buffer) * (1 + buffer) / 2
    least = (half + alpha - 1 + math.sqrt((half + alpha - 1) ** 2 + 4 * alpha)) / 2

    def time_and_queue(q):  # antiderivatives of (1 + q) (1 + alpha/q^2) times 1 and q
        both = q ** 2 / 2 + alpha * math.log(q)
        return np.array([q - alpha / q, q ** 3 / 3 + alpha * q]) + both

    time, queue = time_and_queue(buffer) - time_and_queue(least)
    return queue / time

@cache
def trace():  # simulation 1 of TCP/RED by steps of 20 ms: W, q, x, p, time, round trip, rate
    h, forget = 0.02, -math.log1p(-1e-4) / 0.000266
    rows, sent, above = [(2.0, 0.0, 0.0, 0.0)], -1, False
    for n in range(2500):
        w, q, x, _ = rows[-1]
        while sent < n and (sent + 1) * h + 0.2 + rows[sent + 1][1] / 30 < (n + 1) * h - 1e-10:
            sent += 1
        old_w, old_q, _, old_p = rows[max(sent, 0)]
        acks = min(30.0, old_w / (0.2 + old_q / 30))
        start, avoid = (k * (1 - old_p) - 0.5 * w * old_p * acks for k in (acks, acks / w))
        above = above or w >= 10
        grow = avoid if above else start
        if above and w < 10:
            grow = 0.0 if start > 0 > avoid else start if start <= 0 else avoid
            above = start > 0
        drop = 1.0 if x > 60 else max(0.0, (x - 20) / 40)
        rows.append((max(w + (h * grow if n >= 5 else 0), 0.0),
                     min(max(q + h * (w / (0.2 + q / 30) - 30), 0.0), 80.0),
                     x + h * forget * (q - x), drop))
    made = pd.DataFrame(rows, columns=list("Wqxp")).eval("R = 0.2 + q / 30").eval("S = W / R")
    return made.assign(t=np.arange(len(made)) * h)

def point_b():  # the highest rate of a cycle, from one onset of drops to the next
    own = trace()
    drops = (own.p > 0).to_numpy()
    last = np.maximum.accumulate(np.where(drops, own.t, -np.inf))
    onsets = np.flatnonzero(((own.t - last) >= own.R).to_numpy()[:-1] & drops[1:])
    steady = onsets[0] + own.S[onsets[0]:onsets[1]].to_numpy().argmin()
    start, stop = onsets[onsets >= steady][:2]
    return own.loc[own.S[start:stop].idxmax()]

def row_apart(_, simulation, t_s, printed):
    near = trace().loc[(trace().t - t_s).abs().idxmin(), list("WRqxpS")]
    each = [[20 + v * 40 if c == "p" and v > 0 else v for c, v in zip("WRqxpS", own, strict=True)]
            for own in (near, printed)]
    return max(abs(a / b - 1) for a, b in zip(*each, strict=True) if b)

# FAST's map: rates of links in Mbit/s; round trip in ms, first and last link, and alpha of flows.
NETWORKS = {
    "one": ([100], [(20, 0, 1, 50), (40, 0, 1, 50), (80, 0, 1, 50), (160, 0, 1, 50)]),
    "even": ([50, 50, 50], [(120, 0, 3, 50), (30, 0, 1, 50), (60, 1, 2, 50), (90, 2, 3, 50)]),
    "uneven": ([40, 60, 80], [(120, 0, 3, 50), (30, 0, 1, 50), (120, 0, 1, 50), (60, 1, 2, 50),
                              (60, 1, 2, 100), (60, 2, 3, 50), (90, 1, 3, 100)]),
}

def update(name, windows, waits_s):  # next windows, with the queues that these windows keep
    rates, flows = NETWORKS[name]
    rtt_ms, first, last, alpha = np.array(flows).T
    routes = [(first <= link) & (link < last) for link in range(len(rates))]
    waits_s = waits_s.copy()
    for _ in range(2000):  # one Newton step a link in turn; at a spare link nothing waits
        before = waits_s.copy()
        for link, (rate, route) in enumerate(zip(rates, routes, strict=True)):
            rtts_s = rtt_ms / 1e3 + waits_s @ routes
            sent = windows / rtts_s * route
            more = (sent.sum(axis=1) - rate * 1e6 / 12000) / (sent / rtts_s).sum(axis=1)
            waits_s[:, link] = np.maximum(waits_s[:, link] + more, 0)
        if np.abs(waits_s - before).max() <= 1e-15:
            break
    path_s = waits_s @ routes
    kept = windows * path_s / (rtt_ms / 1e3 + path_s)
    return windows + 0.5 * (alpha - kept), waits_s

@cache
def at_rest(name):
    windows, waits_s = np.full((1, len(NETWORKS[name][1])), 500.0), np.zeros((1, 3))
    waits_s = waits_s[:, :len(NETWORKS[name][0])]
    for _ in range(1000):
        windows, waits_s = update(name, windows, waits_s)
    return windows[0]

@cache
def starts(name):  # distances from rest, a row an update; ratios of pairs while links are full
    rest = at_rest(name)
    windows = rest * 100 ** np.random.default_rng(1).uniform(-1, 1, (200, len(rest)))
    waits_s = np.zeros((200, len(NETWORKS[name][0])))

    def length(apart):
        return np.sqrt(apart ** 2 @ (1 / rest) / rest.sum())

    rows, pairs = [length(windows - rest)], []
    while rows[-1].max() > 1e-9:
        apart = length(np.diff(windows, axis=0))
        windows, waits_s = update(name, windows, waits_s)
        full = (waits_s > 0).all(axis=1)
        kept = (apart > 1e-4) & full[1:] & full[:-1]
        pairs += list((length(np.diff(windows, axis=0)) / apart)[kept])
        rows.append(length(windows - rest))
    return np.array(rows), max(pairs)

def contraction(_, names):
    each = [starts(name)[0] for name in names]
    return max((rows[1:] / rows[:-1])[rows[:-1] > 1e-9].max() for rows in each)

def updates_until_full(_):  # over their bound, of 12 starts below rest
    rtts_s, rate = np.array([0.02, 0.04, 0.08, 0.16]), 1e8 / 12000
    windows = first = np.geomspace(1e-3, 0.5, 12)[:, None] * at_rest("one")
    waits_s, needed = np.zeros((12, 1)), np.full(12, np.inf)
    for number in range(61):
        following, waits_s = update("one", windows, waits_s)
        full = (windows / (rtts_s + waits_s)).sum(axis=1) >= (1 - 1e-9) * rate
        needed[full] = np.minimum(needed[full], number)
        windows = following
    bound = np.ceil((rate - (first / rtts_s).sum(axis=1)) / (0.5 * (50 / rtts_s).sum()))
    return (needed / bound).max()

GRID = np.geomspace(2, 1e7, 20_001)  # windows between which growth is summed up

def hstcp_cut(w):
    return np.clip(0.5 - 0.4 * np.log(w / 38) / np.log(83_000 / 38), 0.1, 0.5)

def hstcp_growth(w):
    loss, b = 1e-3 * (w / 38) ** (-np.log(1e4) / np.log(83_000 / 38)), hstcp_cut(w)
    return np.where(w <= 38, 1, np.maximum(1, loss * w ** 2 * 2 * b / (2 - b)))

#: Exponent and alpha of the slides, growth a round trip, and the share that a loss takes.
RULES = {"reno": (0.5, 1.225, np.ones_like, lambda _: 0.5),
         "hstcp": (0.84, 0.120, hstcp_growth, hstcp_cut),
         "scalable": (1.0, 0.075, lambda w: 0.01 * w, lambda _: 0.125)}

def mean_window(cca, loss):  # rate times round trip of 4000 flows, losses at random
    exponent, alpha, growth, cut = RULES[cca]
    rng, window = np.random.default_rng(1), np.full(4000, alpha / loss ** exponent)
    packets, rounds = (np.append(0, np.cumsum(np.diff(GRID) * (y[1:] + y[:-1]) / 2))
                       for y in (GRID / growth(GRID), 1 / growth(GRID)))
    sent = spent = 0.0
    for number in range(200):  # in the round trip of recovery nothing grows
        gap = rng.exponential(1 / loss, 4000)
        peak = np.interp(np.interp(window, GRID, packets) + gap, packets, GRID)
        if number >= 100:
            sent += (gap + window).sum()
            spent += (np.interp(peak, GRID, rounds) - np.interp(window, GRID, rounds) + 1).sum()
        window = (1 - cut(peak)) * peak
    return sent / spent
