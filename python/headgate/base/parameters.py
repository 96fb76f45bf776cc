"""Parameters of algorithms, devices and fluid models, as users write them.

A parameter is a word, a pure number, or a quantity. A quantity is a text with its unit
(`target = "5 ms"`), or a number under a name that ends with the unit (`target_s = 0.005`).
A number without a unit under another name is ambiguous, so it is rejected. Counts with one
possible unit, such as segments and round trips, need no unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from headgate.base.catalog import PACKET, Cca, Param
from headgate.base.errors import CatalogError, UnitError
from headgate.base.messages import as_toml
from headgate.base.units import (
    PS_PER_S,
    Amount,
    parse_buffer,
    parse_bytes,
    parse_count,
    parse_rate,
    parse_time_ps,
)

#: Converts the amount under a key to packets.
Packets = Callable[[str, Amount], float]
Value = float | str


@dataclass(frozen=True)
class _Unit:
    """A unit of parameters: the end of names with it, and the function that reads it."""

    ending: str
    example: str
    read: Callable[[str], float]
    is_one_of_several: bool = True  # whether numbers need a unit, since several are common


def _read_packet_rate(text: str) -> float:
    return parse_count(text, ("packets/s", "segments/s"), "a rate in packets")


def _read_segments(text: str) -> float:
    return parse_count(text, ("packets", "segments"), "a number of packets")


_UNITS = {
    "s": _Unit("_s", "5 ms", lambda text: parse_time_ps(text) / PS_PER_S),
    "min": _Unit("_minutes", "10 min", lambda text: parse_time_ps(text) / (60 * PS_PER_S)),
    "bytes": _Unit("_bytes", "1514 B", parse_bytes),
    "bytes/s": _Unit("_bytes_s", "10 Mbit/s", lambda text: parse_rate(text) / 8),
    "Mbit/s": _Unit("_mbps", "10 Mbit/s", lambda text: parse_rate(text) / 1e6),
    "packets/s": _Unit("_packets_s", "100 packets/s", _read_packet_rate),
    "segments/s": _Unit("_segments_s", "100 packets/s", _read_packet_rate),
    "1/s": _Unit("_hz", "170 Hz", lambda text: parse_count(text, ("Hz",), "a frequency"), False),
    "packets": _Unit("_packets", "10 packets", _read_segments, False),
    "segments": _Unit("_segments", "10 packets", _read_segments, False),
}
#: Units of cards with another name in quantities.
_IN_TEXT = {"bytes": "B", "segments/s": "packets/s"}


class ParameterError(CatalogError):
    """An invalid parameter; `key` is its name in the scenario."""

    def __init__(self, key: str, sentence: str) -> None:
        self.key, self.sentence = key, sentence
        super().__init__(f"{key}: {sentence}")


def read_parameters(card: Cca, given: Mapping[str, object], packets: Packets) -> dict[str, Value]:
    """Return parameters by name, numbers in the units of the card. Raises ParameterError."""
    read: dict[str, Value] = {}
    for key, value in given.items():
        try:
            param = find_parameter(card, key)
            number = _read(param, key, value, packets)
        except (CatalogError, UnitError) as error:
            raise ParameterError(key, str(error)) from None
        if param.name in read:
            says = f"'{param.name}' is given twice, with and without its unit; leave one out"
            raise ParameterError(key, says)
        read[param.name] = number
    for param in card.params:
        if param.is_required and param.name not in read:
            says = f"'{card.name}' needs a number from {param.bounds}"
            raise ParameterError(drop_unit(param), says)
    return read


def check_holds_packet(card: Cca, read: Mapping[str, Value], packet_bytes: int) -> None:
    """Raise ParameterError for a parameter that must hold a packet and is smaller."""
    for param in card.params:
        value = read.get(param.name, param.default)
        if PACKET in param.at_least and not isinstance(value, str) and value < packet_bytes:
            says = f"{value:g} {param.unit} hold no packet of {packet_bytes} B, so all are dropped"
            raise ParameterError(drop_unit(param), says)


def check_together(card: Cca, given: Mapping[str, object], read: Mapping[str, Value]) -> None:
    """Raise ParameterError for a parameter below another one that limits it.

    `read` is the result of `read_parameters`. Automatic values are not compared.
    """
    values = {param.name: read.get(param.name, param.default) for param in card.params}
    for param in card.params:
        for other in param.at_least:
            if other in values and _is_below(card, values, param, other):
                named = param.name if param.name in read else other
                says = (
                    f"'{param.name}' is {values[param.name]:g} and may not be below '{other}',"
                    f" which is {values[other]:g}{'' if other in read else ' by default'}"
                )
                keys = (key for key in given if find_parameter(card, key).name == named)
                raise ParameterError(next(keys, named), says)


def _is_below(card: Cca, values: Mapping[str, Value], param: Param, other: str) -> bool:
    value, least = values[param.name], values[other]
    if isinstance(value, str) or isinstance(least, str):
        return False
    is_automatic = param.is_automatic(value) or card.param(other).is_automatic(least)
    return value < least and not is_automatic


def find_parameter(card: Cca, key: str) -> Param:
    """Return the parameter of a name with or without its unit. Raises CatalogError."""
    known = any(param.name == key for param in card.params)
    by_short = {drop_unit(param): param for param in card.params}
    return by_short[key] if key in by_short and not known else card.param(key)


def count_packets(_key: str, amount: Amount) -> float:
    """Return the packets of an amount in packets. Raises UnitError for other units."""
    if amount.unit != "packets":
        raise UnitError(f"'{amount}' is not allowed; write packets, such as '10 packets'")
    return float(amount.value)


def read_quantity(unit: str, key: str, text: str, packets: Packets) -> float:
    """Return a quantity as a number of `unit`. Raises UnitError."""
    if unit == "packets":  # it may be a multiple of the bandwidth-delay product
        return packets(key, parse_buffer(text))
    if unit in _UNITS:
        return _UNITS[unit].read(text)
    of = "" if unit in {"", "1"} else f" of {unit}"
    raise UnitError(f"{as_toml(text)} is not allowed; it must be a number{of}")


def write_number(param: Param, number: float) -> float | str:
    """Return a number in the form that users write under the full name of its parameter."""
    unit = required_unit(param)
    return f"{number!r} {unit}" if unit else number


def required_unit(param: Param) -> str:
    """Return the unit that a number under the full name of a parameter needs; empty if none."""
    unit = _UNITS.get(param.unit)
    if unit is None or param.name.endswith(unit.ending) or not unit.is_one_of_several:
        return ""
    return _IN_TEXT.get(param.unit, param.unit)


def drop_unit(param: Param) -> str:
    """Return the name of a parameter without its unit, `step` of `step_s`."""
    unit = _UNITS.get(param.unit)
    return param.name if unit is None else param.name.removesuffix(unit.ending)


def _read(param: Param, key: str, value: object, packets: Packets) -> Value:
    """Return a valid value. Raises CatalogError or UnitError."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        allowed = " or ".join(f"'{word}'" for word in param.choices)
        allowed = allowed or f"a number from {param.bounds}"
        raise CatalogError(f"{as_toml(value)} is not allowed; it must be {allowed}")
    if param.choices:
        read = value
    elif isinstance(value, str):
        read = read_quantity(param.unit, key, value, packets)
    else:
        read = _read_bare(param, key, value)
    param.check(read)
    return read


def _read_bare(param: Param, key: str, value: float) -> float:
    """Return a number without a unit. Raises UnitError unless its unit is certain."""
    unit = _UNITS.get(param.unit)
    is_full = key == param.name
    if unit is None or key.endswith(unit.ending) or (is_full and not unit.is_one_of_several):
        return value
    or_bare = "" if is_full else f", or {param.name} = {as_toml(value)} (in {param.unit})"
    raise UnitError(f"{as_toml(value)} has no unit; write one, such as {unit.example!r}{or_bare}")
