"""A user-defined congestion control algorithm: the reaction of a flow to an ACK and to a loss."""

from headgate.plugin import Ack, Congestion, Path, Window


class Mine:
    """Additive increase, multiplicative decrease: keep the share `beta` of the flight on a loss.

    Windows are in segments. An algorithm changes `window.cwnd` and `window.ssthresh`; `path`
    contains measured round trips and rates. More callbacks are possible, such as `on_recovered`:
    the tutorial "A user-defined algorithm" lists them all.
    """

    def __init__(self, beta: float = 0.7) -> None:
        self.beta = beta
        # The mean throughput equals that of Reno (Floyd, Handley, Padhye 2000).
        self.alpha = 3 * (1 - beta) / (1 + beta)

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Grow by alpha segments a round trip, and twofold in slow start."""
        if ack.cwnd_limited:  # not if the application or the receiver limits the flow
            left = window.slow_start(ack.acked)
            window.cwnd += self.alpha * left / window.cwnd

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Back off once for each round trip with losses."""
        window.ssthresh = max(self.beta * event.in_flight, 2.0)
