"""LEDBAT++ as its draft states it, with every delay of ten minutes kept by minutes."""

from headgate.plugin import Ack, Congestion, Path, Window


class SlowLedbatPp:
    """One flow; the four parts of the draft are the four branches of `on_ack`."""

    TARGET_S = 0.06

    def __init__(self) -> None:
        self.by_minute: dict[int, float] = {}
        self.last: list[float] = []
        self.initial = True
        self.slowdown_at: float | None = None
        #: Start of the current slowdown, and the end of its two round trips.
        self.slowdown: tuple[float, float] | None = None

    def base_s(self) -> float:
        """Return the smallest delay of the last ten minutes."""
        latest = max(self.by_minute)
        return min(delay for minute, delay in self.by_minute.items() if minute > latest - 10)

    def gain(self) -> float:
        """Return the growth per round trip."""
        divisor = -(-2 * self.TARGET_S // self.base_s())
        return 1 / min(16, max(divisor, 1))

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Slow down if it is time, else grow or shrink."""
        if ack.rtt_s > 0:
            minute = int(ack.now_s // 60)
            self.by_minute[minute] = min(self.by_minute.get(minute, 1e9), ack.rtt_s)
            self.last = [*self.last, ack.rtt_s][-4:]
        if not self.last:
            return
        queueing_s = min(self.last) - self.base_s()
        self.schedule(queueing_s, ack.now_s, path.srtt_s, window)
        if self.slowdown and ack.now_s < self.slowdown[1]:
            window.cwnd = 2.0
        elif window.cwnd < window.ssthresh:
            if ack.cwnd_limited:
                window.cwnd = min(window.cwnd + self.gain() * ack.acked, window.ssthresh)
        else:
            self.avoid(queueing_s, ack, window)

    def schedule(self, queueing_s: float, now_s: float, srtt_s: float, window: Window) -> None:
        """Leave the first slow start; begin and end slowdowns."""
        if self.initial and queueing_s > 0.75 * self.TARGET_S:
            window.ssthresh = max(min(window.ssthresh, window.cwnd), 2.0)
        if self.initial and window.cwnd >= window.ssthresh:
            self.initial, self.slowdown_at = False, now_s + 2 * srtt_s
        elif self.slowdown:
            began_s, frozen_s = self.slowdown
            if now_s >= frozen_s and window.cwnd >= window.ssthresh:
                self.slowdown, self.slowdown_at = None, now_s + 9 * (now_s - began_s)
        elif self.slowdown_at is not None and now_s >= self.slowdown_at:
            window.ssthresh = max(window.cwnd, 2.0)
            self.slowdown = (now_s, now_s + 2 * srtt_s)

    def avoid(self, queueing_s: float, ack: Ack, window: Window) -> None:
        """Add the gain, or take a share of the window."""
        step = self.gain()
        if queueing_s > self.TARGET_S:
            excess = queueing_s / self.TARGET_S - 1
            step = max(step - window.cwnd * excess, -window.cwnd / 2)
        if step < 0 or ack.cwnd_limited:
            window.cwnd = max(window.cwnd + step * min(ack.acked / window.cwnd, 1), 2.0)
        window.ssthresh = min(window.ssthresh, window.cwnd // 1)

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Halve the window, or in a slowdown the one to return to."""
        if self.slowdown:
            window.ssthresh = max(window.ssthresh / 2, 2.0)
            self.slowdown = (self.slowdown[0], 0.0)
        else:
            window.ssthresh = max(event.in_flight / 2, 2.0)
