"""Prague as `tcp_prague.c` 0.6 states it, with all ACKs of a round trip and all updates kept."""

from headgate.plugin import ECN_MARK, LOSS, Ack, Congestion, Path, Window


class SlowPrague:
    """One flow. The state is lists; each value is computed from them when it is used."""

    controls_cwnd_in_recovery = True
    echo = "accurate"

    GAIN = 1 / 16
    TARGET_S = 0.025
    TRANSITION = 500
    #: The kernel's rate is in bytes of packets, and a segment takes its payload from it.
    FASTER = 1500 / 1448

    def __init__(self) -> None:
        #: The window with its fraction, segments.
        self.exact = 0.0
        #: The window in whole segments as this program left it.
        self.whole = 0.0
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
        self.exact = self.whole = window.cwnd
        self.pace(path, window)

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Grow, then update at the end of a round trip."""
        self.follow(ack, path, window, grows=ack.cwnd_limited)

    def on_recovery_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Count marks while losses are repaired."""
        self.follow(ack, path, window, grows=False)

    def follow(self, ack: Ack, path: Path, window: Window, grows: bool) -> None:
        """Handle an ACK in the order of the kernel."""
        self.adopt(window)
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
        self.step(window)
        self.pace(path, window)

    def adopt(self, window: Window) -> None:
        """Take over a window that the transport has set."""
        if window.cwnd != self.whole:
            self.exact = self.whole = window.cwnd

    def step(self, window: Window) -> None:
        """Go one segment towards the window with its fraction, rounded up."""
        if window.cwnd >= window.ssthresh:
            due = max(float(-(-self.exact // 1)), 2.0)
            if due < window.cwnd:
                window.cwnd -= 1
                window.ssthresh = window.cwnd
            elif due > window.cwnd:
                window.cwnd += 1
        self.whole = window.cwnd

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
        self.adopt(window)
        if event.cause == ECN_MARK:
            if self.waited(self.reductions[-1], event.now_s, window):
                self.reductions.append(event.now_s)
                self.shrink(1 - self.alpha_at_ack / 2, window)
                self.step(window)
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
        self.adopt(window)
        self.exact = max(self.exact, self.before)
        window.cwnd = self.whole = float(-(-self.exact // 1))

    def shrink(self, factor: float, window: Window) -> None:
        """Multiply the window with its fraction, and end slow start."""
        self.exact = max(self.exact * factor, 2.0)
        window.ssthresh = max(window.cwnd, 2.0)

    def is_old(self, window: Window) -> bool:
        """Whether the flow is past the transition."""
        return window.cwnd >= window.ssthresh and len(self.rounds) >= self.TRANSITION

    def waited(self, since_s: float, now_s: float, window: Window) -> bool:
        """Whether a target round trip has passed, if the flow waits for one."""
        return not self.is_old(window) or now_s - since_s >= self.TARGET_S

    def pace(self, path: Path, window: Window) -> None:
        """Spread the window over a round trip, in slow start over half of one."""
        if path.srtt_s > 0:
            doubled = 2 if window.cwnd < window.ssthresh / 2 else 1
            window.pace = doubled * self.exact * self.FASTER / path.srtt_s
