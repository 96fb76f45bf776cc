"""By how much each CCA cuts its window at a loss, found by giving the CCA itself three losses."""

from collections.abc import Mapping, Sequence

from headgate.claims import Estimate
from headgate.plugin import LOSS, Ack, Builtin, Congestion, Path, Window, builtin
from headgate_studies.mesonet.parameters import PARAMS

#: The algorithms that take away something, and less than TCP.
LESS_THAN_TCP = ("scalable", "bic", "hstcp")
#: Least and greatest share that each algorithm takes away, as the source states it; above 64
#: packets, as none of them behaves like TCP there.
PUBLISHED: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(LESS_THAN_TCP, (0.0, 0.5)),
    **dict.fromkeys(("ctcp", "fast", "fast-at"), (0.5, 0.5)),
    "htcp": (0.2, 0.5),
}
WINDOWS = (100, 1_000, 10_000)
#: Round trips grow from 100 ms to this many times that before each loss.
QUEUES = (1.0, 1.25, 2.0, 3.0)
LOSSES, ROUNDS, RTT_S = 3, 40, 0.1
ROUNDING = 1e-6


def cuts_as_published(ccas: Sequence[str]) -> Estimate:
    """Return the share of some replacements whose cuts all lie in the source's range."""
    found = {cca: cuts(cca) for cca in ccas}
    hits = sum(_within(cca, each) for cca, each in found.items())
    listed = ", ".join(f"{cca} {min(each):.3g} to {max(each):.3g}" for cca, each in found.items())
    return Estimate(ours=hits / len(found), note=listed)


def cuts(cca: str) -> list[float]:
    """Return the share that an algorithm takes away at each window and queue."""
    return [_cut(cca, window, queue) for window in WINDOWS for queue in QUEUES]


def _within(cca: str, found: Sequence[float]) -> bool:
    low, high = PUBLISHED[cca]
    beyond = -ROUNDING if cca in LESS_THAN_TCP else ROUNDING
    return all(low - beyond <= cut <= high + beyond for cut in found)


def _cut(name: str, packets: int, queue: float) -> float:
    """Return the share that the last of three losses removes; the first two set the state."""
    cca = builtin(name, **PARAMS.get(name, {}))
    window, now_s, share = Window(packets, packets / 2), 0.0, 0.0
    cca.on_start(now_s, Path(srtt_s=RTT_S, min_rtt_s=RTT_S), window)
    for _ in range(LOSSES):
        now_s = _climb(cca, window, packets, queue, now_s)
        path = Path(srtt_s=queue * RTT_S, min_rtt_s=RTT_S)
        cca.on_congestion(Congestion(cause=LOSS, now_s=now_s, in_flight=packets), path, window)
        share = 1 - window.ssthresh / packets
        window.cwnd = window.ssthresh
        cca.on_recovered(now_s, path, window)
    return share


def _climb(cca: Builtin, window: Window, packets: int, queue: float, now_s: float) -> float:
    """Acknowledge windows while the queue grows; return when that ended."""
    for step in range(1, ROUNDS + 1):
        rtt_s = RTT_S * (1 + (queue - 1) * step / ROUNDS)
        now_s += rtt_s
        window.cwnd = packets
        ack = Ack(now_s=now_s, acked=packets, rtt_s=rtt_s, in_flight=packets, round_start=True)
        cca.on_ack(ack, Path(srtt_s=rtt_s, min_rtt_s=RTT_S), window)
    window.cwnd = packets
    return now_s
