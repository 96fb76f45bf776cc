"""Mistakes in user-defined code that would otherwise pass without effect and without a message."""

import functools
from pathlib import Path as File
from typing import Any

import pytest

import headgate
from headgate import dumbbell
from headgate.base.errors import CcaError, HeadgateError
from headgate.plugin import DROP, Ack, Rate, Window, builtin
from headgate.plugin.disciplines import DISCIPLINE
from headgate.plugin.proof import check
from headgate.plugin.user_code import load, register_class


class Sound:
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        left = window.slow_start(ack.acked)
        window.cwnd += left / window.cwnd

    def on_congestion(self, event: Any, path: Any, window: Any) -> Any:
        window.ssthresh = max(event.in_flight / 2, 2.0)


class Returns(Sound):
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        return window.cwnd + 1.0


class Yields(Sound):
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        window.cwnd += 1.0
        yield


class Awaits(Sound):
    async def on_congestion(self, event: Any, path: Any, window: Any) -> Any:
        window.ssthresh = 2.0


class SetsEcho(Sound):
    def __init__(self) -> None:
        self.echo = "accurate"


class SetsTheSame(Sound):
    per = "round"

    def __init__(self) -> None:
        self.per = "round"


class ReadsRate(Sound):
    def on_ack(self, sample: Any, path: Any, window: Any) -> Any:
        window.cwnd = max(sample.rate.per_s, 1.0)


class HandsRate(Sound):
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        self.set(window, ack)

    def set(self, window: Any, ack: Any) -> None:
        window.cwnd = max(ack.rate.per_s * 0.01, 1.0)


class Wraps(Sound):
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        builtin("bbr").on_ack(ack, path, window)


class WantsRate(HandsRate):
    wants_rate = True


class Overwrites(Sound):
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        window.cwnd += window.slow_start(ack.acked) / max(window.cwnd, 1.0)


class Clamps(Sound):
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        super().on_ack(ack, path, window)
        window.cwnd = min(window.cwnd, 12.0)


class Slower(Sound):
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        before = window.cwnd
        super().on_ack(ack, path, window)
        window.cwnd = min(window.cwnd, before + 0.5)


class Shares(Sound):
    seen = [0]  # noqa: RUF012

    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        self.seen[0] += 1
        super().on_ack(ack, path, window)


class Partial(Sound):
    def grow(self, gain: float, ack: Any, path: Any, window: Any) -> Any:
        left = window.slow_start(ack.acked)
        window.cwnd += gain * left / window.cwnd

    on_ack = functools.partialmethod(grow, 1.0)  # type: ignore[assignment]


class ReturnsVerdict:
    def on_arrival(self, packet: Any, port: Any, decision: Any) -> Any:
        return DROP if port.packets > 10 else None


def checked(cls: type) -> None:
    check(load(register_class(cls)), {})


def run(cls: type) -> Any:
    flows = [cls, "cubic"]
    return dumbbell(rate="20 Mbit/s", rtt="40 ms", flows=flows, duration="2 s").run()


WRONG = [
    (Returns, r"on_ack returned \d+.0; set window.cwnd instead"),
    (Yields, r"line \d+: on_ack contains yield or async"),
    (Awaits, r"line \d+: on_congestion contains yield or async"),
    (SetsEcho, "self.echo = 'accurate' is not read; set it on the class: echo = 'accurate'"),
    (ReadsRate, "set wants_rate = True on the class"),
    (HandsRate, "ack.rate is not measured; set wants_rate = True on the class"),
    (Wraps, "ack.rate is not measured; set wants_rate = True on the class"),
]


@pytest.mark.parametrize(("cls", "says"), WRONG)
def test_a_mistake_without_effect_is_an_error_of_check_and_of_runs(cls: type, says: str) -> None:
    with pytest.raises(CcaError, match=says):
        checked(cls)
    with pytest.raises(HeadgateError, match=says):
        run(cls)


@pytest.mark.parametrize("cls", [Sound, SetsTheSame, WantsRate, Clamps, Slower, Partial])
def test_correct_algorithms_are_valid(cls: type) -> None:
    checked(cls)
    assert run(cls).digest


def test_growth_that_is_overwritten_is_an_error() -> None:
    says = r"slow_start raised cwnd in \d+ calls, and each ended with the former cwnd; write"
    with pytest.raises(CcaError, match=says):
        checked(Overwrites)


def test_state_on_the_class_is_an_error() -> None:
    with pytest.raises(CcaError, match="flows share this state; keep it on self"):
        checked(Shares)


class KeepsTheAck(Sound):
    def on_ack(self, ack: Any, path: Any, window: Any) -> Any:
        self.ack = ack


def test_a_kept_record_is_named() -> None:
    with pytest.raises(CcaError, match=r"self\.ack is an Ack; an attribute must be"):
        checked(KeepsTheAck)


SHARED_C = """
#include "headgate.h"
static int acks;
static int32_t on_ack(void *state, const headgate_ack *ack, const headgate_path *path,
                      headgate_window *window) {
    (void)state; (void)path;
    if (++acks % 2) window->cwnd += ack->acked / window->cwnd;
    return 0;
}
static int32_t on_congestion(void *state, const headgate_congestion *event,
                             const headgate_path *path, headgate_window *window) {
    (void)state; (void)path;
    window->ssthresh = event->in_flight > 4 ? event->in_flight / 2.0 : 2.0;
    return 0;
}
const headgate_cca_v1 cca = {HEADGATE_CCA_V1, .on_ack = on_ack, .on_congestion = on_congestion};
"""


def test_a_static_variable_is_an_error(tmp_path: File) -> None:
    (tmp_path / "shared.c").write_text(SHARED_C)
    with pytest.raises(CcaError, match="flows share this state; keep it on self"):
        headgate.plugin.check_cca(str(tmp_path / "shared.c"))


def test_a_discipline_returns_nothing() -> None:
    with pytest.raises(CcaError, match=r"on_arrival returned 2; set decision.verdict instead"):
        check(load(register_class(ReturnsVerdict), DISCIPLINE), {})
    made = dumbbell(rate="20 Mbit/s", rtt="40 ms", flows=["reno"], queue=ReturnsVerdict)
    with pytest.raises(HeadgateError, match=r"on_arrival returned 2; set decision.verdict instead"):
        made.run("5 s")


def test_a_compiled_callback_returns_nothing() -> None:
    pytest.importorskip("numba")
    with pytest.raises(CcaError, match=r"line \d+: on_ack returns a float64; set window.cwnd"):
        run(headgate.jit(type("Compiled", (Returns,), {})))


def test_a_record_made_by_hand_contains_a_rate() -> None:
    assert Ack(rate=Rate(per_s=3.0)).rate.per_s == 3.0
    window = Window(cwnd=10.0)
    assert (window.slow_start(2.0), window.cwnd) == (0.0, 12.0)
