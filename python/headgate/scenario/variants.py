"""Warn of parameters that only another variant of a discipline or an algorithm uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headgate.base import catalog
from headgate.base.messages import as_toml
from headgate.base.parameters import drop_unit

Plan = Mapping[str, Any]


@dataclass(frozen=True)
class Need:
    """The parameter that decides whether another one is used, and its words for that.

    Without words it is a number, which must be above zero.
    """

    other: str
    words: tuple[str, ...] = ()

    def is_met(self, value: object) -> bool:
        """Return whether the value of the other parameter lets this one be used."""
        return value in self.words if self.words else value != 0


_MARKS, _BYTES = Need("ecn", ("on",)), Need("mode", ("bytes",))
_RFC, _LINUX = Need("variant", ("rfc",)), Need("variant", ("linux",))
_SHAPER, _KELLY = Need("bandwidth_bytes_s"), Need("variant", ("kelly",))
_TUNED = Need("tuning", ("emulated",))
#: Parameters of cards, by kind and name, that are used only with values of others.
NEEDS: Mapping[tuple[str, str], Mapping[str, Need]] = {
    ("cca", "bic"): {
        "smooth_part": _LINUX,
        "segments_per_ack": _LINUX,
        "min_increment": Need("variant", ("paper",)),
    },
    ("cca", "ctcp"): {"gamma_low": _TUNED, "lambda": _TUNED},
    ("cca", "prague"): {"transition": _LINUX},
    ("cca", "scalable"): {"increase": _KELLY, "low_window": _KELLY},
    ("media", "gcc"): {"probes": Need("variant", ("webrtc",))},
    ("queue", "ared"): {"mark_below": _MARKS},
    ("queue", "cake"): dict.fromkeys(("overhead_bytes", "mpu_bytes", "framing"), _SHAPER),
    ("queue", "dualpi2"): {
        "step_s": _LINUX,
        "ramp_start_s": _RFC,
        "ramp_s": _RFC,
        "classic_protection": Need("scheduler", ("weighted",)),
        "time_shift_s": Need("scheduler", ("time-shifted",)),
    },
    ("queue", "fq-codel"): {"ce_threshold_for": Need("ce_threshold_s")},
    ("queue", "fq-pie"): {"mark_below": _MARKS},
    ("queue", "pi"): {"mean_packet_bytes": _BYTES},
    ("queue", "pie"): {"mark_below": _MARKS},
    ("queue", "red"): {"mark_below": _MARKS},
}


def warn_of_unused(plan: Plan) -> Iterator[str]:
    """Warn of written parameters without an effect in the chosen variant."""
    said = [
        text
        for place, card, params in _list_devices(plan)
        for text in _describe(place, card, params)
    ]
    yield from dict.fromkeys(said)


def _list_devices(plan: Plan) -> Iterator[tuple[str, catalog.Cca, Mapping[str, Any]]]:
    """Yield the key in a scenario, the card and the written parameters of each device."""
    for link in plan["links"]:
        queue = link.get("queue")
        if queue is not None and "own" not in queue:
            yield "network.queue", catalog.device("queue", queue["name"]), queue["params"]
    for number, item in enumerate(plan["traffic"]):
        laws = [part["law"] for part in item.get("laws", ())] or [item["law"]]
        for law in [plan["laws"][one] for one in laws] if "streams" not in item else ():
            if "own" not in law:
                yield f"traffic[{number}].cca", catalog.cca(law["name"]), law["params"]
        media = item.get("rate_controller")
        if media is not None:
            place = f"traffic[{number}].rate_controller"
            yield place, catalog.device("media", media["name"]), media["params"]


def _describe(place: str, card: catalog.Cca, params: Mapping[str, Any]) -> Iterator[str]:
    for name, need in NEEDS.get((card.kind, card.name), {}).items():
        other = card.param(need.other)
        value = params.get(other.name, other.default)
        if name not in params or need.is_met(value):
            continue
        key, by = drop_unit(card.param(name)), drop_unit(other)
        words = " or ".join(f"{by} = {as_toml(word)}" for word in need.words)
        written = f"{by} is {value}" + " by default" * (other.name not in params)
        yield (
            f"{place}.{key}: '{card.name}' uses it only with {words or f'{by} above zero'}, and"
            f" {written}, so it changes nothing; leave it out, or write {words or by}"
        )
