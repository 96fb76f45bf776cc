"""Random quantities as a user writes them, extremes among them."""

import math
import random
from collections.abc import Sequence
from typing import Any, TypeVar

from headgate.base.catalog import PACKET, Cca, Param
from headgate.base.parameters import (
    ParameterError,
    check_together,
    count_packets,
    read_parameters,
    write_number,
)

T = TypeVar("T")

PS_PER_S = 10**12


class Draw(random.Random):
    """A stream of choices; its seed says all of them."""

    def maybe(self, share: float) -> bool:
        return self.random() < share

    def of(self, *choices: T) -> T:
        return self.choice(choices)

    def magnitude(self, low: float, high: float) -> float:
        """Between two bounds above 0, each order of magnitude as likely."""
        return min(max(10 ** self.uniform(math.log10(low), math.log10(high)), low), high)

    def time(self, low_s: float, high_s: float, odd: float = 0.08) -> str:
        if self.maybe(odd):
            return self.of("0 s", "1 ps", "3 ps", "1 ns", "10 s", "1000 s")
        return picoseconds(self.magnitude(low_s, high_s))

    def rate(self, low: float = 1e3, high: float = 1e9, odd: float = 0.03) -> str:
        if self.maybe(odd):
            return self.of("1 bit/s", "3 bit/s", "8 bit/s", "1 Tbit/s", "100 Tbit/s")
        return f"{int(self.magnitude(low, high))} bit/s"

    def packets(self, low: float, high: float) -> str:
        return f"{int(self.magnitude(low, high))} packets"

    def buffer(self) -> str:
        few = self.of("1 packets", "2 packets", "3 packets", "70000 B")
        many = self.of("infinite", "1000000000000 packets", f"{int(self.magnitude(7e4, 1e7))} B")
        if self.maybe(0.1):
            return self.of("1500 B", "1540 B", "1 BDP", "1000 BDP", "100 BDP/sqrt(n)", "5 ms")
        return self.of(few, many, self.packets(1, 3000), self.packets(1, 300))

    def value(self, param: Param) -> float | str:
        """Draw a value of a parameter: a bound, the default, or one between."""
        if param.choices:
            return self.choice(param.choices)
        low, high = param.low, param.high
        default = low if param.is_required else float(param.default)
        if PACKET in param.at_least:
            low = default = 70_000.0  # larger than any packet
        least = max(low, high * 1e-12)
        inner = min(max(self.uniform(low, high), low), high)
        number = self.of(low, high, default, inner, self.magnitude(least, high))
        return write_number(param, number)

    def params(self, card: Cca, share: float) -> dict[str, float | str]:
        """Draw some parameters of an algorithm or a device; often only those that it requires."""
        few = self.maybe(1 - share)
        drawn = {
            param.name: self.value(param)
            for param in card.params
            if param.is_required or (not few and self.maybe(0.5))
        }
        while (wrong := first_wrong(card, drawn)) is not None:
            del drawn[wrong]  # below another one that it may not be below
        return drawn

    def some(self, choices: Sequence[T], most: int) -> list[T]:
        return self.sample(list(choices), self.randint(1, min(most, len(choices))))


def first_wrong(card: Cca, drawn: dict[str, float | str]) -> str | None:
    try:
        check_together(card, drawn, read_parameters(card, drawn, count_packets))
    except ParameterError as error:
        return error.key if error.key in drawn else next(iter(drawn))
    return None


def picoseconds(seconds: float) -> str:
    return f"{max(1, int(seconds * PS_PER_S))} ps"


Scenario = dict[str, Any]
