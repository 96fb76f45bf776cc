"""Options of ports and hosts: disciplines, schemes, algorithms, TCP profiles.

Names come from the catalogue and from the model of a profile, so whatever is added there is drawn.
"""

import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from headgate.base import catalog
from headgate.scenario.presets import ONLY_QUIC, ONLY_TCP
from headgate.scenario.transport import Transport

from .draw import Draw

#: User-defined disciplines: one that decides at arrival, one at departure, one that ranks.
OWN = tuple(
    str(Path(__file__).parents[1] / "unit" / "disciplines" / name)
    for name in ("red.c:red", "codel.c", "copies.py:Fair")
)

#: Values of the fields of a profile that are neither words nor switches.
VALUES: dict[str, tuple[Any, ...]] = {
    "segment": ("1 B", "2 B", "40 B", "536 B", "1460 B", "8960 B", "65000 B", "65495 B"),
    "header": ("1 B", "20 B", "40 B", "500 B"),
    "ack": ("1 B", "40 B", "1500 B", "65535 B"),
    "syn": ("1 B", "40 B", "65535 B"),
    "initial_window": ("1 packets", "1.5 packets", "2 packets", "10 packets", "100000 packets"),
    "initial_ssthresh": (
        "infinite",
        "1 packets",
        "2 packets",
        "1000 packets",
        "1000000000 packets",
    ),
    "receive_window": ("infinite", "1 packets", "2 packets", "3 packets", "4294967295 packets"),
    "rto_tick": ("1 ps", "1 ms", "10 ms", "1 s"),
    "min_rto": ("1 us", "1 ms", "200 ms", "1 s"),
    "rto_margin": ("0 s", "1 ms", "200 ms"),
    "initial_rto": ("1 us", "1 ms", "1 s", "3 s"),
    "max_rto": ("1 s", "60 s", "1000 s"),
    "syn_tries": (1, 2, 3, 255),
    "syn_timeout": ("1 us", "1 ms", "1 s"),
    "delayed_ack_timeout": ("0 s", "1 us", "40 ms", "1 s", "1000 s"),
    "quick_acks": (0, 1, 16, 2**32 - 1),
    "clock": ("0 s", "1 ps", "1 ms", "10 ms", "1 s"),
    "timestamp_clock": ("0 s", "1 ps", "1 ms", "1 s"),
    "packet_threshold": (1, 3, 1000, 1_000_000),
    "time_threshold": (1.0, 1.125, 4.0, 100.0),
    "max_ack_delay": ("0 s", "1 us", "25 ms", "1 s"),
    "ack_every": (1, 2, 10, 1_000_000),
    "ack_reordering": (0, 1, 3, 1_000_000),
    "pacing": (
        "none",
        {},
        {"gain": 0.01, "slow_start_gain": 0.01},
        {"gain": 100.0, "slow_start_gain": 100.0},
    ),
}


def device(draw: Draw, kind: str) -> str | dict[str, Any]:
    """Draw a device of a port, of one kind: `queue` or `feedback`."""
    card = draw.choice([card for card in catalog.devices() if card.kind == kind])
    return {"name": card.name, **draw.params(card, 0.5)}


def queue(draw: Draw) -> str | dict[str, Any]:
    if draw.maybe(0.3):
        return "drop_tail"
    return draw.of(*OWN) if draw.maybe(0.1) else device(draw, "queue")


def cca(draw: Draw, scheme: str | None = None) -> dict[str, Any]:
    """Draw an algorithm: with router feedback, often the one that uses it."""
    cards = catalog.ccas()
    spoken = [card for card in cards if card.name == scheme]
    card = draw.choice(spoken if spoken and draw.maybe(0.6) else cards)
    drawn = {"name": card.name, **draw.params(card, 0.35)}
    if card.family in {"loss", "hybrid"} and draw.maybe(0.4):
        drawn["slow_start"] = device(draw, "slow-start")
    return drawn


def transport(draw: Draw) -> dict[str, Any]:
    """Draw a profile: a preset, and some fields on top of it."""
    fields = Transport.model_fields
    share = draw.of(0.0, 0.1, 0.1, 0.4)
    preset = {"preset": field(draw, "preset")} if draw.maybe(0.6) else {}
    # mostly only the keys of the preset: others are refused
    others = ONLY_TCP if preset.get("preset") == "quic" else ONLY_QUIC
    left_out = {"preset", *(() if draw.maybe(0.02) else others)}
    return preset | {
        name: field(draw, name) for name in fields if name not in left_out and draw.maybe(share)
    }


def field(draw: Draw, name: str) -> Any:
    """Draw a value of one field of a profile."""
    if name in VALUES:
        return draw.choice(VALUES[name])
    words = words_of(Transport.model_fields[name].annotation)
    return draw.choice(words)


def words_of(annotation: Any) -> list[Any]:
    """List what a field of words or a switch may be."""
    if annotation is bool:
        return [True, False]
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if get_origin(annotation) in (Union, types.UnionType):
        return [word for part in get_args(annotation) for word in words_of(part)]
    return []
