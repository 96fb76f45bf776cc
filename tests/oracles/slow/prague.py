"""Prague as `tcp_prague.c` 0.6 states it, with all ACKs of a round trip and all updates kept."""

from headgate.plugin import ECN_MARK, LOSS, Ack, Congestion, Path, Window


class SlowPrague:
    """One flow. The state is lists; each value is computed from them when it is used."""

    controls_cwnd_in_recovery = True
    echo = "accurate"

    GAIN = 1 / 16
    TARGET_S = 0.025
    TRANSITION = 500

    def __init__(self) -> None:
        #: The window with its fraction, segments.
        self.exact = 0.0
        #: The window before the last loss.
        self.before = 0.0
        #: Segments and marked segments of the ACKs since the last update.
        self.acks: list[tuple[float, float]] = []
        #: Time and result of each update, beginning with the value before the first mark.
        self.alphas: list[tuple[float, float]] = [(float("-inf"), 1.0)]
        #: Times of the round trips outside slow start, of reductions by marks, and of marked ACKs.
        self.rounds: list[float] = []
        self.reductions: list[float] = [float("-inf")]
        self.marks: list[float] = []
        #: Alpha at the start of the current ACK.
        self.alpha_at_ack = 1.0

    def on_start(self, now_s: float, path: Path, window: Window) -> None:
        """Adopt the initial window."""
        self.exact = window.cwnd
        self.pace(path, window)

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Grow, then update at the end of a round trip."""
        self.follow(ack, path, window, grows=ack.cwnd_limited)

    def on_recovery_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Count marks while losses are repaired."""
        self.follow(ack, path, window, grows=False)

    def follow(self, ack: Ack, path: Path, window: Window, grows: bool) -> None:
        """Handle an ACK in the order of the kernel."""
        if window.cwnd != self.whole():
            self.exact = window.cwnd  # the transport has set it
        self.alpha_at_ack = self.alphas[-1][1]
        self.acks.append((ack.acked, ack.marked))
        if ack.marked:
            self.marks.append(ack.now_s)
        if grows:
            self.grow(ack.acked - ack.marked, path, window)
        if ack.round_start:
            if window.cwnd >= window.ssthresh:
                self.rounds.append(ack.now_s)
            if self.waited(self.alphas[-1][0], ack.now_s, window):
                self.update(ack.now_s)
        self.pace(path, window)

    def grow(self, segments: float, path: Path, window: Window) -> None:
        """Add the unmarked segments: all below the threshold, else a share of the window."""
        early = min(segments, max(window.ssthresh - window.cwnd, 0.0))
        if early > 0:
            window.cwnd += early
            self.exact = window.cwnd
        if segments > early:
            short = self.is_old(window) and path.srtt_s < self.TARGET_S
            step = (path.srtt_s / self.TARGET_S) ** 2 if short else 1.0
            self.exact += (segments - early) * step / window.cwnd
            window.cwnd = self.whole()

    def update(self, now_s: float) -> None:
        """Average the share of marks of the ACKs since the last update."""
        seen = sum(acked for acked, _ in self.acks)
        if not seen:
            return
        alpha = self.alphas[-1][1]
        if self.marks:
            share = sum(marked for _, marked in self.acks) / seen
            alpha = (1 - self.GAIN) * alpha + self.GAIN * share
        self.alphas.append((now_s, alpha))
        self.acks = []

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Reduce the window."""
        if window.cwnd != self.whole():
            self.exact = window.cwnd
        if event.cause == ECN_MARK:
            if self.waited(self.reductions[-1], event.now_s, window):
                self.reductions.append(event.now_s)
                self.shrink(1 - self.alpha_at_ack / 2, window)
            self.pace(path, window)
            return
        self.before = self.exact
        if event.cause == LOSS:
            self.shrink(0.5, window)
        else:
            window.ssthresh = max(self.exact / 2, 2.0)
        self.pace(path, window)

    def on_undo(self, before: float, path: Path, window: Window) -> None:
        """Return to the window before a loss that was none."""
        if window.cwnd != self.whole():
            self.exact = window.cwnd
        self.exact = max(self.exact, self.before)
        window.cwnd = self.whole()

    def shrink(self, factor: float, window: Window) -> None:
        """Multiply the window, and end slow start."""
        self.exact = max(self.exact * factor, 2.0)
        window.cwnd = window.ssthresh = self.whole()

    def is_old(self, window: Window) -> bool:
        """Whether the flow is past the transition."""
        return window.cwnd >= window.ssthresh and len(self.rounds) >= self.TRANSITION

    def waited(self, since_s: float, now_s: float, window: Window) -> bool:
        """Whether a target round trip has passed, if the flow waits for one."""
        return not self.is_old(window) or now_s - since_s >= self.TARGET_S

    def whole(self) -> float:
        """Return the window in whole segments, rounded up."""
        return max(float(-(-self.exact // 1)), 2.0)

    def pace(self, path: Path, window: Window) -> None:
        """Spread the window over a round trip, in slow start over half of one."""
        if path.srtt_s > 0:
            doubled = 2 if window.cwnd < window.ssthresh / 2 else 1
            window.pace = doubled * self.exact / path.srtt_s
