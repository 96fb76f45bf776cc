"""Reno as a user writes it, plain and once a round trip; the engine's own is the yardstick."""

from headgate.plugin import Ack, Congestion, Path, Window


class Reno:
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        if not ack.cwnd_limited:
            return
        left = window.slow_start(ack.acked) if window.slow_starts() else ack.acked
        if left > 0.0:
            window.cwnd += left / window.cwnd

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        window.ssthresh = max(event.in_flight / 2.0, 2.0)


class RenoByRounds(Reno):
    per = "round"
