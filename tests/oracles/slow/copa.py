"""Copa as its paper states it (NSDI 2018, section 2), with exact minima of both windows."""

from collections import deque

from headgate.plugin import TIMEOUT, Ack, Congestion, Path, Window


class Least:
    """The least value of a moving window: later samples remove those that they undercut."""

    def __init__(self) -> None:
        self.samples: deque[tuple[float, float]] = deque()

    def take(self, now_s: float, window_s: float, value: float) -> float:
        """Return the least value, with this sample."""
        while self.samples and self.samples[-1][1] >= value:
            self.samples.pop()
        self.samples.append((now_s, value))
        while self.samples[0][0] < now_s - window_s:
            self.samples.popleft()
        return self.samples[0][1]


class SlowCopa:
    """One flow in both modes; names of variables are the paper's."""

    controls_cwnd_in_recovery = True

    def __init__(self, delta: float = 0.5) -> None:
        self.default_delta = self.delta = delta
        self.all, self.recent = Least(), Least()
        self.rtt_min = self.rtt_standing = 0.0
        self.slow_start, self.lost = True, False
        self.v, self.up, self.rtts_in_direction, self.window_then = 1.0, True, 0, 0.0
        #: RTTs of each past round trip, and of the present one.
        self.rounds: list[list[float]] = []
        self.round: list[float] = []

    def on_start(self, now_s: float, path: Path, window: Window) -> None:
        """Pace the first window by the handshake."""
        window.pace = 2 * window.cwnd / path.srtt_s

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Move the window towards the target rate."""
        if ack.rtt_s > 0:
            self.rtt_min = self.all.take(ack.now_s, 10.0, ack.rtt_s)
            self.rtt_standing = self.recent.take(ack.now_s, path.srtt_s / 2, ack.rtt_s)
            self.round.append(ack.rtt_s)
        if self.rtt_min == 0:
            return
        if ack.round_start:
            self.begin_round(self.rtt_min, window.cwnd)
        d_q = self.rtt_standing - self.rtt_min
        rate = window.cwnd / self.rtt_standing
        self.move(d_q <= 0 or rate <= 1 / (self.delta * d_q), ack, window)
        window.pace = 2 * window.cwnd / self.rtt_standing

    on_recovery_ack = on_ack

    def begin_round(self, rtt_min: float, cwnd: float) -> None:
        """Choose the mode, and the velocity."""
        if self.round:
            self.rounds, self.round = [*self.rounds, self.round][-5:], []
        if len(self.rounds) == 5:
            rtt_max = max(max(rtts) for rtts in self.rounds[-4:])
            least = min(min(rtts) for rtts in self.rounds)
            if least - rtt_min < 0.1 * (rtt_max - rtt_min):
                self.delta = self.default_delta
            elif not self.lost:
                self.delta = 1 / (1 / self.delta + 1)
        self.lost = False
        if self.slow_start:
            return
        up = cwnd > self.window_then
        self.rtts_in_direction = self.rtts_in_direction + 1 if up == self.up else 1
        self.v = min(2 * self.v, max(cwnd * self.delta, 1)) if self.rtts_in_direction > 3 else 1.0
        self.up, self.window_then = up, cwnd

    def turn(self, up: bool, cwnd: float) -> None:
        """Begin again with the smallest velocity."""
        self.v, self.up, self.rtts_in_direction, self.window_then = 1.0, up, 0, cwnd

    def move(self, up: bool, ack: Ack, window: Window) -> None:
        """Take the step of one ACK."""
        if self.slow_start and up:
            window.cwnd += ack.acked if ack.cwnd_limited else 0
            return
        if self.slow_start:
            self.slow_start = False
            window.ssthresh = max(window.cwnd, 2.0)
            self.turn(True, window.cwnd)
        if self.v > 1 and up != self.up:
            self.turn(up, window.cwnd)
        step = min(self.v / (self.delta * window.cwnd), 1.0) * ack.acked
        if not up:
            window.cwnd = max(window.cwnd - step, 2.0)
        elif ack.cwnd_limited:
            window.cwnd += step

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Double delta; after a time-out, start again."""
        self.delta, self.lost = min(2 * self.delta, self.default_delta), True
        if event.cause == TIMEOUT:
            self.slow_start, window.ssthresh = True, float("inf")
