"""What happens to a flow in its PROBE_UPs: losses, and an application that slows down."""

from __future__ import annotations

from math import floor, inf

from headgate_studies.conform.bbr.made import MadeSender
from headgate_studies.conform.bbr.numbers import BDP, LOSS_THRESH, RATE, ROUND_S, UP


class Burst:
    """Loses as few segments sent in chosen PROBE_UPs as are more than 2 % of what is in flight."""

    def __init__(self, *chosen: int) -> None:
        self.chosen, self.ups, self.left = chosen, 0, 0
        self.was_up = self.done = False

    def lose(self, _: float) -> bool:
        """Say whether this one is lost."""
        lost = self.left > 0
        self.left -= lost
        return lost

    def after_ack(self, sender: MadeSender) -> None:
        """Count PROBE_UPs; in a chosen one begin once there is more than a BDP in flight."""
        up = sender.gain == UP
        if up and not self.was_up:
            self.ups, self.done = self.ups + 1, False
        self.was_up = up
        ready = up and self.ups in self.chosen and sender.in_flight > BDP + 2
        if ready and not self.done:
            self.left, self.done = floor(LOSS_THRESH * (sender.in_flight + 1)) + 1, True


class LimitedLoss:
    """Limits the application in the first PROBE_UP; two round trips later one in ten is lost."""

    def __init__(self) -> None:
        self.up_s = inf
        self.now_s, self.sent, self.over = 0.0, 0, False

    def lose(self, now_s: float) -> bool:
        """Say whether this one is lost."""
        self.sent += 1
        return not self.over and now_s > self.up_s + 2 * ROUND_S and self.sent % 10 == 0

    def after_ack(self, sender: MadeSender) -> None:
        """Limit the application while the first PROBE_UP lasts."""
        if sender.gain == UP and self.up_s == inf:
            self.up_s = sender.now_s
            sender.resume(0.4 * RATE)
        elif sender.gain != UP and self.up_s < inf and not self.over:
            self.over = True
            sender.resume(inf)
