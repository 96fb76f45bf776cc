"""CUBIC as RFC 9438 states it, written as a user-defined algorithm."""

from headgate.plugin import TIMEOUT, Ack, Congestion, Path, Window


class Cubic:
    """The window is a cubic function of the time since the last reduction (section 4.2)."""

    C = 0.4  # segments/s^3 (section 4.1)
    BETA = 0.7  # share of the flight that a loss leaves (section 4.6)

    def __init__(self) -> None:
        self.w_max = 0.0  # window before the last reduction; 0 = none
        self.prior = 0.0  # cwnd_prior
        self.w_est = 0.0  # the window that Reno would have
        self.k_s = 0.0
        self.plateau = 0.0
        self.epoch_s = -1.0  # start of congestion avoidance; -1 = not begun
        self.acked_s = 0.0

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Grow to the curve one round trip ahead, or with Reno's estimate."""
        idle_s, self.acked_s = ack.now_s - self.acked_s, ack.now_s
        if not ack.cwnd_limited:
            if self.epoch_s >= 0:
                self.epoch_s += idle_s  # the curve stops while the window is not used
            return
        left = window.slow_start(ack.acked)
        if left > 0:
            self.avoid(left, ack.now_s, path.srtt_s, window)

    def avoid(self, acked: float, now_s: float, srtt_s: float, window: Window) -> None:
        """Grow in congestion avoidance (sections 4.2 to 4.5)."""
        if self.epoch_s < 0:
            self.begin(now_s, window.cwnd)
        elapsed_s = now_s - self.epoch_s
        self.w_est += self.alpha() * acked / window.cwnd
        if self.curve(elapsed_s) < self.w_est:
            window.cwnd = max(window.cwnd, self.w_est)
            return
        target = min(max(self.curve(elapsed_s + srtt_s), window.cwnd), 1.5 * window.cwnd)
        window.cwnd += (target - window.cwnd) * min(acked / window.cwnd, 1.0)

    def begin(self, now_s: float, cwnd: float) -> None:
        """Start a curve at the present window (section 4.2)."""
        self.epoch_s, self.w_est = now_s, cwnd
        self.plateau = max(self.w_max, cwnd)
        self.k_s = ((self.plateau - cwnd) / self.C) ** (1 / 3)
        self.prior = self.prior or cwnd

    def alpha(self) -> float:
        """Return the growth of Reno's estimate per round trip (section 4.3)."""
        return 1.0 if self.w_est >= self.prior else 3 * (1 - self.BETA) / (1 + self.BETA)

    def curve(self, elapsed_s: float) -> float:
        """Return the cubic function of the time since the curve began (section 4.2)."""
        return self.C * (elapsed_s - self.k_s) ** 3 + self.plateau

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Reduce the threshold, and note the window for the next curve (sections 4.6 to 4.8)."""
        window.ssthresh = max(self.BETA * event.in_flight, 2.0)
        self.epoch_s = -1.0
        self.prior = window.cwnd
        if event.cause == TIMEOUT:
            self.w_max = 0.0
        elif window.cwnd < self.w_max:
            self.w_max = window.cwnd * (1 + self.BETA) / 2  # fast convergence (section 4.7)
        else:
            self.w_max = window.cwnd
