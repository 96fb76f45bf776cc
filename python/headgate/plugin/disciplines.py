"""The interface of queue disciplines: `headgate_queue_v1`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from headgate.plugin.interface import Callback, Event, Interface, Tell, Traits, Trial
from headgate.plugin.port_events import DRAWS, DROP, KEEP, MARK, Decision, Port

if TYPE_CHECKING:
    from headgate import _native


def _draw(decision: Any) -> Any:
    drawn = decision.drawn
    decision.drawn = drawn + 1
    return decision.draws[drawn] if drawn < DRAWS else 1.0


def _in_engine(
    label: str, code: tuple[Any, Any, Any], traits: Traits, callbacks: Collection[str]
) -> _native.OwnCode:
    from headgate import _native

    return _native.OwnCode.discipline(
        label,
        code,
        on_departure="on_departure" in callbacks,
        on_tick="on_tick" in callbacks,
        ranks=traits["ranks"],
        tick_s=traits["tick_s"],
    )


def _begin(seed: int, tell: Tell, traits: Traits, callbacks: Collection[str]) -> Port:
    at_departure = "on_departure" in callbacks
    holds = at_departure or traits["ranks"]
    return Port(seed, tell, tick_s=traits["tick_s"], decides_at_departure=at_departure, holds=holds)


def _fault(event: Event, _before: Decision, after: Decision, traits: Traits) -> str:
    if event.callback == "on_tick":
        touched = after.verdict != KEEP or after.drawn or after.rank
        return "on_tick must decide on no packet and draw no random number" if touched else ""
    if not KEEP <= after.verdict <= DROP:
        return f"verdict became {after.verdict}; it must be KEEP (0), MARK (1) or DROP (2)"
    if not _may_mark(event, after):
        return "it marks a packet that is not capable of ECN; look at packet.capable"
    if after.drawn > DRAWS:
        return f"it drew {after.drawn} random numbers; a decision may draw at most {DRAWS}"
    return _rank_fault(event, after.rank, traits)


def _rank_fault(event: Event, rank: float, traits: Traits) -> str:
    if rank == 0.0:
        return ""
    if event.callback != "on_arrival":
        return f"rank became {rank:g}; a packet must be ranked when it arrives"
    if not traits["ranks"]:
        return f"rank became {rank:g}; only a discipline with ranks = True may set it"
    return "" if math.isfinite(rank) else f"rank became {rank:g}; it must be a finite number"


def _may_mark(event: Event, decision: Any) -> bool:
    given = event.given
    return decision.verdict != MARK or not isinstance(given, dict) or bool(given["capable"])


def _is_sound(event: Event, decision: Any) -> bool:
    sound = KEEP <= decision.verdict <= DROP and decision.drawn <= DRAWS
    return sound and math.isfinite(decision.rank) and _may_mark(event, decision)


def _repair(decision: Decision, _before: Decision) -> None:
    decision.verdict, decision.rank = KEEP, 0.0
    decision.drawn = min(decision.drawn, DRAWS)


def _native_decision(decision: Decision) -> Any:
    from headgate import _native

    return _native.Decision(list(decision.draws))


def _sum_up(decisions: list[tuple[float, ...]]) -> Mapping[str, float]:
    said = Counter(verdict for verdict, _ in decisions)
    return {"kept": said[KEEP], "marked": said[MARK], "dropped": said[DROP]}


_PACKET = Callback(("packet", "port", "decision"), "Packet")

DISCIPLINE = Interface(
    noun="discipline",
    table="headgate_queue_v1",
    version=1 << 16 | 1,
    symbol="queue",
    callbacks={
        "on_arrival": _PACKET,
        "on_departure": _PACKET,
        "on_tick": Callback(("now_s", "port", "decision"), None),
    },
    required=(("on_arrival", "on_departure"),),
    traits={"ranks": (False, True)},
    numbers={"tick_s": 0.0},
    flags=lambda traits: {"ranks": traits["ranks"]},
    said_by=lambda flags: {"ranks": "ranks" in flags},
    flag_bits={"ranks": 1},
    around="Backlog",
    out="Decision",
    out_fields=("verdict", "drawn", "rank"),
    methods={"draw": _draw},
    in_engine=_in_engine,
    trial=Trial(
        of="port",
        begin=_begin,
        fault=_fault,
        is_sound=_is_sound,
        repair=_repair,
        skips=lambda _callback, _traits: False,
        native=_native_decision,
        outcome_fields=("verdict", "rank"),
        sum_up=_sum_up,
        tell="{kept} packets kept, {marked} marked, {dropped} dropped".format_map,
    ),
)
