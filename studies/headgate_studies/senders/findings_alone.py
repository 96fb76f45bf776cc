"""What the study found of flows alone: full paths, one lost packet."""

from __future__ import annotations

from headgate.claims import Estimate, format_values
from headgate.lab import Runs
from headgate.plugin import LOSS, Congestion, Path, Window, builtin
from headgate_studies.paths import utilisation
from headgate_studies.senders import measures
from headgate_studies.senders.jobs import SEVEN, TCP

SHALLOW = 0.25
#: Windows at which losses come close together, packets.
CLUSTER_WINDOWS = (100, 1_000)


def _alone(runs: Runs, law: str, *, slow: bool = False, near: bool = False) -> float:
    """Utilisation at the highest rate and longest round trip, or at the lowest or shortest."""
    part = runs.setup.settings["alone"]
    rate = part["rates"][0 if slow else -1]
    return utilisation(runs["alone", law, rate, part["rtts_ms"][0 if near else -1], SHALLOW])


def fall_of_use(runs: Runs, *, slow: bool = False, near: bool = False) -> Estimate:
    """Compare TCP's utilisation at the lowest rate or shortest round trip with the other end."""
    first, last = _alone(runs, TCP, slow=slow, near=near), _alone(runs, TCP)
    return Estimate(ours=first - last, note=f"{first:.3f} and {last:.3f}")


def least_over_tcp(runs: Runs) -> Estimate:
    """Find the least ratio of a replacement's utilisation to TCP's."""
    used = {law: _alone(runs, law) for law in (TCP, *runs.setup.has(*SEVEN))}
    ratio = min(used[law] / used[TCP] for law in SEVEN)
    return Estimate(ours=ratio, note=format_values(used))


def share_kept(runs: Runs, *, law: str) -> Estimate:
    """Measure the share of the window that is left after a loss."""
    return Estimate(ours=measures.share_kept(runs, *runs.setup.has(law)))


def reduction_beyond(runs: Runs, *, law: str, low: float, high: float) -> Estimate:
    """Measure how far a reduction lies outside a range."""
    reduced = measures.reduction_of_flight(runs, *runs.setup.has(law))
    return Estimate(ours=max(low - reduced, reduced - high, 0.0), note=f"reduced by {reduced:.3f}")


def least_kept_above_tcp(runs: Runs, *, laws: list[str]) -> Estimate:
    """Compare the least that some laws keep with what TCP keeps."""
    left = {law: measures.share_kept(runs, law) for law in (TCP, *runs.setup.has(*laws))}
    return Estimate(
        ours=min(left[law] for law in laws) - left[TCP], note=f"kept: {format_values(left)}"
    )


def recovery_ratio(runs: Runs, *, laws: list[str]) -> Estimate:
    """Compare TCP's time back to the rate with that of the slowest of some laws."""
    times = {law: measures.recovery_s(runs, law) for law in (TCP, *runs.setup.has(*laws))}
    slowest = max(times[law] for law in laws)
    return Estimate(ours=times[TCP] / slowest, note=f"seconds: {format_values(times)}")


def gain_ratio(runs: Runs, *, law: str, from_s: float, to_s: float) -> Estimate:
    """Compare what the window gains between two times after a loss with TCP's."""
    laws = (*runs.setup.has(law), TCP)
    own, tcp = (measures.window_gain(runs, each, from_s, to_s) for each in laws)
    return Estimate(ours=own / tcp, note=f"{own:.2f} and {tcp:.2f} packets")


def kept_after_cluster(runs: Runs, *, losses: int) -> Estimate:
    """Compare what TCP and BIC keep of their windows after losses a round trip apart."""
    runs.setup.has("bic")
    kept = {(law, w): _kept(law, w, losses) for law in (TCP, "bic") for w in CLUSTER_WINDOWS}
    ratios = [kept[TCP, w] / kept["bic", w] for w in CLUSTER_WINDOWS]
    said = format_values({f"{law}, {w} packets": share for (law, w), share in kept.items()})
    return Estimate(ours=min(ratios), note=said)


def _kept(name: str, packets: int, losses: int) -> float:
    """Give a law losses at the end of one round trip after another; return what is left."""
    law, window, path = builtin(name), Window(packets, packets / 2), Path(srtt_s=0.1, min_rtt_s=0.1)
    law.on_start(0.0, path, window)
    for each in range(1, losses + 1):
        now_s, in_flight = 0.1 * each, int(window.cwnd)
        law.on_congestion(Congestion(cause=LOSS, now_s=now_s, in_flight=in_flight), path, window)
        window.cwnd = window.ssthresh
        law.on_recovered(now_s, path, window)
    return float(window.cwnd) / packets
