"""The cases: those of the Linux oracle, with a path and who sends over it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from typing import Any, Literal

from headgate import HeadgateError

#: The first part of a case's name: its subject.
Topic = Literal["alone", "pair", "loss", "completion", "queue", "qdisc"]

RATE_MBPS = 20
#: Starts of a repeat are this much later than those of the repeat before, s, and each start is
#: later by this much again: the phase of a sawtooth when another flow joins decides the losses.
APART_S = 0.1

#: Packets of one bandwidth-delay product of 40 ms, half of it and two; and one of 100 ms.
BDP, HALF, DOUBLE, LONG_BDP = 67, 33, 133, 167
SIZES = (10, 30, 100, 300, 1000, 3000)
LOSSES = (0.001, 0.003, 0.01)
#: Algorithms of this kernel and of all others.
COMMON = ("reno", "cubic", "bbr")
#: The pairs of algorithms, and the time at which the second joins, s.
PAIRS = (
    ("reno", "reno", 0.0),
    ("cubic", "cubic", 0.0),
    ("bbr", "bbr", 0.0),
    ("cubic", "bbr", 0.0),
    ("reno", "bbr", 0.0),
    ("reno", "cubic", 20.0),
    ("reno", "bbr", 20.0),
)


@dataclass(frozen=True)
class Sender:
    """A flow: a kernel's algorithm, when it begins, and its segments (0: without end)."""

    cca: str
    start_s: float = 0.0
    segments: int = 0


@dataclass(frozen=True)
class KernelCase:
    """Flows over one bottleneck of 20 Mbit/s.

    `queue` is a discipline of the simulated bottleneck, `qdisc` one of the kernel's own, as `tc`
    takes it, with ours beside it in `queue`.
    """

    topic: Topic
    name: str
    senders: tuple[Sender, ...]
    rtt_ms: float = 40
    buffer: int = BDP
    loss: float = 0.0
    queue: tuple[tuple[str, Any], ...] = ()
    qdisc: str = ""
    duration_s: float = 60
    from_s: float = 10
    replacement: str = ""
    """User-defined algorithm that takes the place of ours in simulation; empty means none."""

    @property
    def ccas(self) -> set[str]:
        """The kernel's names of its algorithms."""
        return {sender.cca for sender in self.senders}

    @property
    def is_sized(self) -> bool:
        """Whether it is about a completion time."""
        return any(sender.segments for sender in self.senders)

    def repeated(self, number: int) -> KernelCase:
        """Return the case as a repeat has it, counted from 0: with other starts."""
        senders = tuple(
            replace(sender, start_s=round(sender.start_s + at * number * APART_S, 6))
            for at, sender in enumerate(self.senders, 1)
        )
        return replace(self, senders=senders)


def _alone(cca: str) -> Iterator[KernelCase]:
    for buffer in (BDP, HALF, DOUBLE):
        yield KernelCase("alone", f"alone-{cca}-{buffer}", (Sender(cca),), buffer=buffer)


def _pair(one: str, other: str, join_s: float) -> Iterator[KernelCase]:
    for buffer in (BDP, DOUBLE):
        senders = (Sender(one), Sender(other, join_s))
        how = "joins" if join_s else "beside"
        name = f"pair-{other}-{how}-{one}-{buffer}"
        until_s, from_s = 80 + join_s, 20 + join_s
        yield KernelCase("pair", name, senders, 40, buffer, duration_s=until_s, from_s=from_s)


def _lossy(cca: str) -> Iterator[KernelCase]:
    for rtt_ms, buffer in ((40, BDP), (100, LONG_BDP)):
        for loss in LOSSES:
            name = f"loss-{cca}-{rtt_ms}ms-{loss:g}"
            yield KernelCase("loss", name, (Sender(cca),), rtt_ms, buffer, loss)


def _short(cca: str) -> Iterator[KernelCase]:
    for segments in SIZES:
        name = f"completion-{cca}-{segments}"
        senders = (Sender(cca, 0.0, segments),)
        yield KernelCase("completion", name, senders, 100, LONG_BDP, duration_s=20, from_s=0)


#: A port that marks what finds ten packets or more.
THRESHOLD = (("name", "threshold"), ("mark", "10 packets"))
#: An algorithm that reacts to marks: without them it is Reno, so it is never tested alone.
BY_MARKS = "dctcp"


def _marked(flows: int) -> KernelCase:
    senders = (Sender(BY_MARKS),) * flows
    return KernelCase(
        "queue", f"queue-threshold-dctcp-{flows}", senders, buffer=1000, queue=THRESHOLD
    )


#: Options of `tc` for `red` below; `adaptive` does nothing (docs/reference/validation-linux.md).
_TC_RED = (
    "red limit 300000 min 30000 max 90000 avpkt 1500 burst 34 bandwidth 20Mbit probability 0.1"
)
_RED = (
    ("name", "red"),
    ("min", "20 packets"),
    ("max", "60 packets"),
    ("weight", 1 / 32),
    ("max_p", 0.1),
    ("mean_packet_bytes", 1500),
    ("mode", "present"),
    ("wait", "drawn"),
    ("gentle", "off"),
)


def _disciplines(tick_s: float) -> dict[str, tuple[str, int, tuple[tuple[str, Any], ...]]]:
    """Return disciplines by their names in Linux: as `tc` takes them, our buffer, and ours.

    PIE asks for an update each 15 ms, and gets whole ticks.
    """
    update_ms = 1e3 * tick_s * -(-0.015 // tick_s)
    pie = (("name", "pie"), ("update", f"{update_ms:g} ms"), ("derandomise", "on"))
    return {
        "codel": ("codel", 1000, (("name", "codel"),)),
        "fq_codel": ("fq_codel", 10240, (("name", "fq-codel"), ("flows", 65536))),
        "pie": ("pie", 1000, pie),
        "red": (_TC_RED, 1000, _RED),
    }


DISCIPLINES = tuple(_disciplines(0.01))


def _behind(kind: str, tick_s: float) -> Iterator[KernelCase]:
    qdisc, buffer, queue = _disciplines(tick_s)[kind]
    for flows in (1, 4):
        name, senders = f"qdisc-{kind}-{flows}", (Sender("cubic"),) * flows
        yield KernelCase("qdisc", name, senders, buffer=buffer, queue=queue, qdisc=qdisc)


def _all(ccas: Iterable[str], kinds: Iterable[str], tick_s: float) -> Iterator[KernelCase]:
    for cca in ccas:
        if cca != BY_MARKS:
            yield from _alone(cca)
    for one, other, join_s in PAIRS:
        yield from _pair(one, other, join_s)
    for cca in COMMON:
        yield from _lossy(cca)
    for cca in COMMON:
        yield from _short(cca)
    yield from (_marked(flows) for flows in (1, 4))
    for kind in kinds:
        yield from _behind(kind, tick_s)


def list_cases(
    ccas: Iterable[str], kinds: Iterable[str], tick_s: float, globs: Iterable[str] = ()
) -> list[KernelCase]:
    """List the cases of algorithms and disciplines of a kernel whose names match.

    Raises HeadgateError if there is none.
    """
    known, wanted = list(ccas), list(globs)
    cases = [case for case in _all(known, kinds, tick_s) if case.ccas <= {*known}]
    chosen = [case for case in cases if not wanted or any(fnmatch(case.name, g) for g in wanted)]
    if not chosen:
        names = ", ".join(dict.fromkeys(f"{case.topic}-*" for case in cases)) or "none"
        raise HeadgateError(
            f"--case {' '.join(wanted)}: no case has such a name; there are {names}"
        )
    return chosen
