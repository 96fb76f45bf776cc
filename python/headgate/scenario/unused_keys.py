"""Warn of written keys of a transport that lack the key which they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headgate.base import catalog
from headgate.scenario.presets import DEFAULT, PRESETS
from headgate.scenario.shares import list_laws
from headgate.scenario.transport import Transport

if TYPE_CHECKING:
    from headgate.scenario.group import Arrays
    from headgate.scenario.spec import ScenarioSpec

Plan = Mapping[str, Any]
Laws = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class _Need:
    """Whether a profile uses a key, and the line that lets it."""

    is_met: Callable[[Mapping[str, Any], Laws], bool]
    remedy: str


def _uses_ecn(full: Mapping[str, Any], laws: Laws) -> bool:
    """Return whether a profile or one of its algorithms uses ECN; user-defined ones may."""
    is_on = full["ecn"] not in (False, "off")
    return is_on or any("own" in law or catalog.cca(law["name"]).needs_marks for law in laws)


def _paces(full: Mapping[str, Any], laws: Laws) -> bool:
    """Return whether packets may be paced, by the profile, an algorithm or a slow start."""
    return full["pacing"] != "none" or not all(map(_is_unpaced, laws))


def _is_unpaced(law: Mapping[str, Any]) -> bool:
    if "own" in law or "slow_start" in law:
        return False
    card = catalog.cca(law["name"])
    return card.family == "loss" and not card.needs_marks


def _has_sack(full: Mapping[str, Any], _laws: Laws) -> bool:
    return full["recovery"] in ("sack", "sack1")


_ECN = _Need(_uses_ecn, "ecn = true")
_SACK = _Need(_has_sack, 'recovery = "sack"')
_DELAYED = _Need(lambda full, _: bool(full["delayed_ack"]), "delayed_ack = true")
#: Keys that are used only with others.
NEEDS: Mapping[str, _Need] = {
    "rto_tick": _Need(lambda full, _: full["rto_rule"] == "ns2", 'rto_rule = "ns2"'),
    "frto": _Need(lambda full, _: bool(full["undo"]), "undo = true"),
    "dsack": _SACK,
    "timeout_sacks": _SACK,
    "tail_probe": _Need(lambda full, _: bool(full["rack_tlp"]), "rack_tlp = true"),
    "delayed_ack_timeout": _DELAYED,
    "quick_acks": _DELAYED,
    "pacing_bursts": _Need(_paces, "pacing = {}"),
    **dict.fromkeys(("ecn_feedback", "ecn_acks", "ecn_control"), _ECN),
    **dict.fromkeys(("ecn_fallback", "ecn_receiver"), _ECN),
    "accecn_option": _Need(
        lambda full, laws: _uses_ecn(full, laws) and full["ecn_feedback"] == "accurate",
        'ecn = true and ecn_feedback = "accurate"',
    ),
}


def warn_of_transport(scenario: ScenarioSpec, plan: Plan, arrays: Arrays) -> Iterator[str]:
    """Warn of keys of transports that change nothing, and of a transport that no traffic uses."""
    profiles: dict[str, list[tuple[Transport, Laws]]] = {"transport": []}
    for number, (group, item) in enumerate(zip(scenario.traffic, plan["traffic"], strict=True)):
        if "hosts" in item or "streams" in item:
            continue
        laws = [plan["laws"][law] for law in list_laws(plan, item, arrays)]
        own = group.transport
        used = scenario.transport if own is None else own.lay_over(scenario.transport)
        if own is not None:
            profiles[f"traffic[{number}].transport"] = [(used, laws)]
        if own is None or own.preset is None:
            profiles["transport"].append((used, laws))
    written = {"transport": scenario.transport} | {
        f"traffic[{number}].transport": group.transport
        for number, group in enumerate(scenario.traffic)
        if group.transport is not None
    }
    for place, users in profiles.items():
        yield from _list_unused(place, written[place], users)
    yield from _warn_of_media(scenario, plan)


def _list_unused(
    place: str, written: Transport, users: Sequence[tuple[Transport, Laws]]
) -> Iterator[str]:
    """Warn of each written key that none of the profiles with it uses.

    A profile with all keys is that of a resolved scenario, not written by hand.
    """
    preset = {key for key, value in PRESETS[written.base].items() if value is not None}
    if preset <= written.set_fields.keys():
        return
    for key, need in NEEDS.items():
        value = getattr(written, key)
        if value is None or (value is False and DEFAULT[key] is False) or not users:
            continue
        if not any(need.is_met(profile.resolved, laws) for profile, laws in users):
            yield (
                f"{place}.{key}: this key changes nothing without {need.remedy}; leave it out, or"
                f" write {need.remedy}"
            )


def _warn_of_media(scenario: ScenarioSpec, plan: Plan) -> Iterator[str]:
    """Warn of a transport beside traffic that brings another one."""
    kinds = {item["kind"] for item in plan["traffic"] if "hosts" in item or "streams" in item}
    if (
        scenario.transport.set_fields
        and kinds
        and all(group.kind in kinds for group in scenario.traffic)
    ):
        yield (
            f"transport: traffic of the kind {' or '.join(sorted(kinds))} brings its own transport,"
            " and there is no other traffic; this profile only sets the size of a packet in"
            " buffers; leave it out"
        )
