"""AIMD that backs off by less on a loss and, in return, grows by less."""

from headgate.law import Ack, Congestion, Path, Window, jit


class Gentle:
    """Keep the share `beta` of the flight on a loss; grow so that the mean window is Reno's."""

    def __init__(self, beta: float = 0.7) -> None:
        self.beta = beta
        self.alpha = 3 * (1 - beta) / (1 + beta)  # Floyd, Handley, Padhye 2000

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Grow, unless something else limits the flow."""
        if ack.cwnd_limited:
            left = window.slow_start(ack.acked)
            window.cwnd += self.alpha * left / window.cwnd

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Back off."""
        window.ssthresh = max(self.beta * event.in_flight, 2.0)


class Patient(Gentle):
    """Grow faster the longer there was no loss: by the same again for each `patience_s`."""

    def __init__(self, beta: float = 0.7, patience_s: float = 5.0) -> None:
        super().__init__(beta)
        self.patience_s = patience_s
        self.lost_s = 0.0

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Grow by what the time since the last loss says."""
        if ack.cwnd_limited:
            left = window.slow_start(ack.acked)
            window.cwnd += self.alpha * self.eagerness(ack.now_s) * left / window.cwnd

    def eagerness(self, now_s: float) -> float:
        """Say how much faster than at first."""
        return 1.0 + (now_s - self.lost_s) / self.patience_s

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Back off, and begin anew."""
        self.lost_s = event.now_s
        window.ssthresh = max(self.beta * event.in_flight, 2.0)


@jit
class FastPatient(Patient):
    """The same, compiled by numba."""
