"""AIMD with a smaller reduction on a loss and, in return, smaller growth."""

from headgate.plugin import Ack, Congestion, Path, Window, jit


class Gentle:
    """Keep the share `beta` of the flight on a loss; grow so that the mean window is Reno's."""

    def __init__(self, beta: float = 0.7) -> None:
        self.beta = beta
        self.alpha = 3 * (1 - beta) / (1 + beta)  # Floyd, Handley, Padhye 2000

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Grow, unless something other than the window limits the flow."""
        if ack.cwnd_limited:
            left = window.slow_start(ack.acked)
            window.cwnd += self.alpha * left / window.cwnd

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Reduce the threshold."""
        window.ssthresh = max(self.beta * event.in_flight, 2.0)


class Patient(Gentle):
    """Grow faster with time since the last loss: each `patience_s` adds the initial growth."""

    def __init__(self, beta: float = 0.7, patience_s: float = 5.0) -> None:
        super().__init__(beta)
        self.patience_s = patience_s
        self.lost_s = 0.0

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Grow by an amount that rises with the time since the last loss."""
        if ack.cwnd_limited:
            left = window.slow_start(ack.acked)
            window.cwnd += self.alpha * self.eagerness(ack.now_s) * left / window.cwnd

    def eagerness(self, now_s: float) -> float:
        """Return the growth relative to that right after a loss."""
        return 1.0 + (now_s - self.lost_s) / self.patience_s

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Reduce the threshold, and note the time of the loss."""
        self.lost_s = event.now_s
        window.ssthresh = max(self.beta * event.in_flight, 2.0)


@jit
class FastPatient(Patient):
    """The same, compiled by numba."""
