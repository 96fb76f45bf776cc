"""The findings of the study: functions that its claims name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from headgate.claims import (
    Estimate,
    compute_relative_error,
    estimate_mean,
    find_largest,
    find_least,
    format_values,
)
from headgate.lab import NotRunError, Runs
from headgate.plugin import LOSS, Congestion, Path, Window, builtin
from headgate_studies.paths import bdp_packets, goodput_bps, mean_of, utilisation
from headgate_studies.senders import measures, theory
from headgate_studies.senders.jobs import LEAST_FAIR, MOST_FAIR, SEVEN, TCP

SHALLOW = 0.25
#: Windows at which losses come close together, packets.
CLUSTER_WINDOWS = (100, 1_000)
REVERTING = ("bic", "ctcp", "hstcp", "htcp", "scalable")
LIKE_TCP = 0.1
SLOW, FAST = "100 Mbit/s", "1 Gbit/s"
EXPONENT_LOSSES = (1e-5, 1e-3)
Left = dict[str, NDArray[np.float64]]


def _alone(runs: Runs, cca: str, *, slow: bool = False, near: bool = False) -> float:
    """Utilisation at the highest rate and longest round trip, or at the lowest or shortest."""
    part = runs.setup.settings["alone"]
    rate = part["rates"][0 if slow else -1]
    return utilisation(runs["alone", cca, rate, part["rtts_ms"][0 if near else -1], SHALLOW])


def fall_of_use(runs: Runs, *, slow: bool = False, near: bool = False) -> Estimate:
    """Compare TCP's utilisation at the lowest rate or shortest round trip with the other end."""
    first, last = _alone(runs, TCP, slow=slow, near=near), _alone(runs, TCP)
    return Estimate(ours=first - last, note=f"{first:.3f} and {last:.3f}")


def least_over_tcp(runs: Runs) -> Estimate:
    """Find the least ratio of a replacement's utilisation to TCP's."""
    used = {cca: _alone(runs, cca) for cca in (TCP, *runs.setup.has(*SEVEN))}
    ratio = min(used[cca] / used[TCP] for cca in SEVEN)
    return Estimate(ours=ratio, note=format_values(used))


def share_kept(runs: Runs, *, cca: str) -> Estimate:
    """Measure the share of the window that is left after a loss."""
    return Estimate(ours=measures.share_kept(runs, *runs.setup.has(cca)))


def reduction_beyond(runs: Runs, *, cca: str, low: float, high: float) -> Estimate:
    """Measure how far a reduction lies outside a range."""
    reduced = measures.reduction_of_flight(runs, *runs.setup.has(cca))
    return Estimate(ours=max(low - reduced, reduced - high, 0.0), note=f"reduced by {reduced:.3f}")


def least_kept_above_tcp(runs: Runs, *, ccas: list[str]) -> Estimate:
    """Compare the least that some algorithms keep with what TCP keeps."""
    left = {cca: measures.share_kept(runs, cca) for cca in (TCP, *runs.setup.has(*ccas))}
    return Estimate(
        ours=min(left[cca] for cca in ccas) - left[TCP], note=f"kept: {format_values(left)}"
    )


def recovery_ratio(runs: Runs, *, ccas: list[str]) -> Estimate:
    """Compare TCP's time back to the rate with that of the slowest of some algorithms."""
    times = {cca: measures.recovery_s(runs, cca) for cca in (TCP, *runs.setup.has(*ccas))}
    slowest = max(times[cca] for cca in ccas)
    return Estimate(ours=times[TCP] / slowest, note=f"seconds: {format_values(times)}")


def gain_ratio(runs: Runs, *, cca: str, from_s: float, to_s: float) -> Estimate:
    """Compare what the window gains between two times after a loss with TCP's."""
    ccas = (*runs.setup.has(cca), TCP)
    own, tcp = (measures.window_gain(runs, each, from_s, to_s) for each in ccas)
    return Estimate(ours=own / tcp, note=f"{own:.2f} and {tcp:.2f} packets")


def kept_after_cluster(runs: Runs, *, losses: int) -> Estimate:
    """Compare what TCP and BIC keep of their windows after losses a round trip apart."""
    runs.setup.has("bic")
    kept = {(cca, w): _kept(cca, w, losses) for cca in (TCP, "bic") for w in CLUSTER_WINDOWS}
    ratios = [kept[TCP, w] / kept["bic", w] for w in CLUSTER_WINDOWS]
    said = format_values({f"{cca}, {w} packets": share for (cca, w), share in kept.items()})
    return Estimate(ours=min(ratios), note=said)


def _kept(name: str, packets: int, losses: int) -> float:
    """Give an algorithm losses at the end of one round trip after another; return what is left."""
    cca, window, path = builtin(name), Window(packets, packets / 2), Path(srtt_s=0.1, min_rtt_s=0.1)
    cca.on_start(0.0, path, window)
    for each in range(1, losses + 1):
        now_s, in_flight = 0.1 * each, int(window.cwnd)
        cca.on_congestion(Congestion(cause=LOSS, now_s=now_s, in_flight=in_flight), path, window)
        window.cwnd = window.ssthresh
        cca.on_recovered(now_s, path, window)
    return float(window.cwnd) / packets


def start_ratio(runs: Runs) -> Estimate:
    """Compare TCP's time to the full rate with the slowest replacement's; the threshold is low."""
    times = _start_times(runs, "low")
    ratio = min(times[TCP] / times[cca] for cca in SEVEN)
    return Estimate(ours=ratio, note=f"seconds: {format_values(times)}")


def start_spread(runs: Runs) -> Estimate:
    """Find the time to the full rate that is farthest from TCP's; the threshold is high."""
    times = _start_times(runs, "high")
    ratios = [times[cca] / times[TCP] for cca in SEVEN]
    farthest = max(max(ratio, 1 / ratio) for ratio in ratios)
    return Estimate(ours=farthest, note=f"seconds: {format_values(times)}")


def _start_times(runs: Runs, threshold: str) -> dict[str, float]:
    ccas = (TCP, *runs.setup.has(*SEVEN))
    return {cca: measures.full_rate_s(runs, cca, threshold) for cca in ccas}


def threshold_effect_in_crowd(runs: Runs) -> Estimate:
    """Find the largest change of goodput by the first threshold under heavy congestion."""
    changes = {}
    for cca in (TCP, *runs.setup.has(*SEVEN)):
        low, high = (
            mean_of(goodput_bps, measures.crowded_runs(runs, cca, threshold))
            for threshold in ("low", "high")
        )
        changes[cca] = abs(float(low / high) - 1)
    return find_largest(changes, 2)


def _resent(runs: Runs, *ccas: str) -> dict[str, float]:
    return {
        cca: mean_of(measures.share_resent, measures.crowded_runs(runs, cca, "high"))
        for cca in (TCP, *runs.setup.has(*ccas))
    }


def share_reverting(runs: Runs) -> Estimate:
    """Count the replacements that retransmit as much as TCP under heavy congestion."""
    rates = _resent(runs, *REVERTING)
    alike = np.mean(
        [compute_relative_error(rates[cca], rates[TCP]) <= LIKE_TCP for cca in REVERTING]
    )
    return Estimate(ours=float(alike), note=format_values(rates))


def resent_ratio(runs: Runs) -> Estimate:
    """Compare what FAST and FAST-AT send again there with what TCP does."""
    rates = _resent(runs, "fast", "fast-at")
    return find_least({cca: rates[cca] / rates[TCP] for cca in ("fast", "fast-at")})


def path_252_use(runs: Runs) -> Estimate:
    """Measure TCP's utilisation of the path of 252 Mbit/s."""
    return Estimate(ours=utilisation(runs["path 252",]))


def least_gain(runs: Runs) -> Estimate:
    """Find the least advantage if all four conditions hold."""
    return find_least(measures.advantages(runs, "all"))


def largest_gain(runs: Runs, *, case: str) -> Estimate:
    """Find the largest advantage if one of the conditions does not hold."""
    return find_largest(measures.advantages(runs, case))


def largest_departure(runs: Runs, *, rate: str, cca: str) -> Estimate:
    """Find the largest distance of utilisation from the model's, in units of its tolerance."""
    runs.setup.has(cca)
    table = theory.RANDOM_LOSS[rate][cca]
    return _farthest(_used(runs, rate, cca, table), table)


def largest_delayed_departure(runs: Runs) -> Estimate:
    """Find that of BIC with delayed ACKs."""
    runs.setup.has("bic")
    table = theory.RANDOM_LOSS[SLOW]["bic"]
    compared = [loss for loss in measures.losses(runs, SLOW) if loss in table]
    used = {
        loss: mean_of(utilisation, runs.replicates("random loss delayed", loss))
        for loss in compared
    }
    return _farthest(used, table)


def _used(runs: Runs, rate: str, cca: str, table: theory.Table) -> theory.Table:
    compared = [loss for loss in measures.losses(runs, rate) if loss in table]
    return {loss: float(np.mean(measures.lossy(runs, rate, cca, loss))) for loss in compared}


def _farthest(used: theory.Table, table: theory.Table) -> Estimate:
    worst = max(
        compute_relative_error(used[loss], table[loss]) / theory.tolerance(loss) for loss in used
    )
    return Estimate(ours=worst, note=_beside(used, table))


def _beside(used: theory.Table, table: theory.Table) -> str:
    return ", ".join(f"{used[p]:.3g} for {table[p]:g} at {p:g}" for p in used)


def largest_over_bound(runs: Runs, *, rate: str, cca: str) -> Estimate:
    """Find the largest utilisation over the model's bound."""
    runs.setup.has(cca)
    bound = theory.RANDOM_LOSS[rate][cca]
    used = _used(runs, rate, cca, bound)
    ratio = max(used[p] / (bound[p] * (1 + theory.tolerance(p))) for p in used)
    return Estimate(ours=ratio, note=_beside(used, bound))


def farthest_use(runs: Runs, *, rate: str, cca: str, expected: float) -> Estimate:
    """Find the utilisation that is farthest from the one expected at every loss."""
    runs.setup.has(cca)
    compared = [loss for loss in measures.losses(runs, rate) if loss <= 1e-2]
    used = {loss: measures.lossy(runs, rate, cca, loss) for loss in compared}
    farthest = max(compared, key=lambda loss: abs(np.mean(used[loss]) - expected))
    said = format_values({f"{loss:g}": float(np.mean(each)) for loss, each in used.items()})
    return estimate_mean(used[farthest], f"at {farthest:g}; {said}")


def square_root_constant(runs: Runs) -> Estimate:
    """Find the mean of window times square root of loss if TCP uses at most half of the path."""
    kept = [loss for loss in measures.losses(runs, SLOW) if loss <= 1e-3]
    unused = [p for p in kept if np.mean(measures.lossy(runs, SLOW, TCP, p)) <= 0.5]
    if not unused:
        raise NotRunError("at no loss up to 1e-3 half of the path is unused")
    bdp = bdp_packets(100e6, 0.1) / measures.PAYLOAD
    windows = {p: measures.lossy_goodput(runs, SLOW, TCP, p) / 100e6 * bdp * p**0.5 for p in unused}
    mean = float(np.exp(np.mean(np.log(list(windows.values())))))
    return Estimate(ours=mean, note=format_values({f"{p:g}": w for p, w in windows.items()}))


def loss_exponent(runs: Runs, *, cca: str) -> Estimate:
    """Fit the power of loss that goodput goes with."""
    runs.setup.has(cca)
    low, high = EXPONENT_LOSSES
    chosen = [p for p in measures.losses(runs, FAST) if low <= p <= high]
    rates = [measures.lossy_goodput(runs, FAST, cca, p) for p in chosen]
    slope = np.polyfit(np.log(chosen), np.log(rates), 1)[0]
    return Estimate(ours=-float(slope))


def _left(runs: Runs) -> Left:
    ccas = runs.setup.has(*MOST_FAIR, *LEAST_FAIR, "hstcp")
    return {cca: np.array(measures.tcp_share(runs, cca)) for cca in ccas}


def _margin(runs: Runs, of: Callable[[Left], float]) -> Estimate:
    """Return a margin of the means, with the interval of the replicates' own margins."""
    left = _left(runs)
    means = {cca: np.array([each.mean()]) for cca, each in left.items()}
    count = len(left["hstcp"])
    own = [of({cca: each[i : i + 1] for cca, each in left.items()}) for i in range(count)]
    said = format_values({cca: float(mean[0]) for cca, mean in means.items()})
    return estimate_mean(own, said).model_copy(update={"ours": of(means)})


def _most(left: Left, ccas: tuple[str, ...]) -> float:
    return max(float(left[cca][0]) for cca in ccas)


def _fewest(left: Left, ccas: tuple[str, ...]) -> float:
    return min(float(left[cca][0]) for cca in ccas)


def fair_margin(runs: Runs, *, cca: str) -> Estimate:
    """Compare what an algorithm leaves to TCP with the most that the least fair leave."""
    return _margin(runs, lambda left: float(left[cca][0]) - _most(left, LEAST_FAIR))


def unfair_margin(runs: Runs, *, cca: str) -> Estimate:
    """Compare the least that the most fair leave to TCP with what an algorithm leaves."""
    return _margin(runs, lambda left: _fewest(left, MOST_FAIR) - float(left[cca][0]))


def hstcp_margin(runs: Runs) -> Estimate:
    """Find the smaller margin by which HSTCP lies above one group and below the other."""

    def margin(left: Left) -> float:
        own = float(left["hstcp"][0])
        return min(own - _most(left, LEAST_FAIR), _fewest(left, MOST_FAIR) - own)

    return _margin(runs, margin)


def threshold_effect(runs: Runs, *, cca: str, sign: int) -> Estimate:
    """Compare what is left to TCP with a high first threshold and with a low one."""
    runs.setup.has(cca)
    high, low = measures.tcp_share(runs, cca), measures.tcp_left_low(runs, cca)
    said = f"{np.mean(high):.3f} with an infinite threshold, {np.mean(low):.3f} with 100 packets"
    return estimate_mean([sign * (a - b) for a, b in zip(high, low, strict=True)], said)


def newcomer_margin(runs: Runs, *, cca: str) -> Estimate:
    """Compare a newcomer's share beside a flow of its algorithm with that beside TCP's."""
    runs.setup.has(cca)
    tcp, own = (measures.newcomer_share(runs, each, each) for each in (TCP, cca))
    said = f"{np.mean(own):.3f}, of TCP {np.mean(tcp):.3f}"
    return estimate_mean([a - b for a, b in zip(tcp, own, strict=True)], said)
