"""Conversion of quantities such as "10 Mbit/s" to numbers, and back.

Rates are integer bit/s, times integer picoseconds, sizes integer bytes. A number without a unit is
rejected, since its unit is ambiguous.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real
from typing import Literal

from headgate.base.errors import UnitError
from headgate.base.messages import also, as_toml

PS_PER_S = 10**12
#: Decimal digits before or after the point that a number may have.
MOST_DIGITS = 30

_RATES = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9, "Tbit/s": 10**12}
_TIMES = {
    "ps": 1,
    "ns": 10**3,
    "us": 10**6,
    "ms": 10**9,
    "s": PS_PER_S,
    "min": 60 * PS_PER_S,
    "h": 3600 * PS_PER_S,
}
_BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
#: Numbers as people write large ones: 10k, 1M.
_MULTIPLES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
#: Units that are no thousand times another.
_UNDECIMAL = ("min", "h", "KiB", "MiB", "GiB")
_SYNONYMS = {
    "bps": "bit/s",
    "kbps": "kbit/s",
    "Mbps": "Mbit/s",
    "Gbps": "Gbit/s",
    "µs": "us",
    "μs": "us",
    "byte": "B",
    "bytes": "B",
    "packet": "packets",
    "segment": "segments",
    "flow/s": "flows/s",
    "/s": "flows/s",
}
#: The names of the units of rates, times and sizes.
UNITS = _RATES.keys() | _TIMES.keys() | _BYTES.keys() | _SYNONYMS.keys()
_PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
#: Units of bits, such as "kbit", and "Mb", which some write for bytes.
_BITS = re.compile(r"([kmgt]?)(?:(bits?)|(?-i:b))", re.IGNORECASE)
#: Bytes per second.
_BYTES_PER_S = re.compile(r"([kMGT]?i?B|[kmgt]?bytes?)(?:/s|ps)")
#: A number and the rest. Underscores separate only thousands: labels such as "1_2" are names.
_NUMBER = re.compile(
    r"\s*([+-]?(?:(?:\d{1,3}(?:_\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![\d_]|\.\d))\s*(\S.*?)?\s*"
)
#: The rest of a number with a comma, which may separate decimals or thousands.
_COMMA = re.compile(r",\d")

AmountUnit = Literal["packets", "B", "BDP", "BDP/sqrt(n)", "ps", "infinite"]
_AMOUNT_UNITS: tuple[AmountUnit, ...] = ("packets", "BDP", "BDP/sqrt(n)")


@dataclass(frozen=True, eq=False)
class _Kind:
    """A kind of quantity: its units, and words for messages."""

    units: Mapping[str, int]
    what: str
    example: str
    most: str = ""  # the largest value, for whole numbers


_RATE = _Kind(_RATES, "a rate", "10 Mbit/s", "100 Tbit/s")
_TIME = _Kind(_TIMES, "a time", "45 ms", "8640000 s")
_SIZE_IN_BYTES = _Kind(_BYTES, "a size", "1460 B", f"{2**63 - 1} B")
_SIZE = _Kind({"packets": 1, **_BYTES}, "a size", "100 packets")
_BUFFER = _Kind({**dict.fromkeys(_AMOUNT_UNITS, 1), **_TIMES, **_BYTES}, "a buffer", "1 BDP")
_WINDOW = _Kind({"packets": 1}, "a window", "10 packets")
_FREQUENCY = _Kind({"flows/s": 1}, "an arrival rate", "500 flows/s")


@dataclass(frozen=True)
class Amount:
    """An amount of data: packets, bytes, time at the rate of a link, or a multiple of the BDP."""

    value: Fraction
    unit: AmountUnit

    def __str__(self) -> str:
        """Return the text that `parse_buffer` and `parse_size` read."""
        if self.unit == "infinite":
            return "infinite"
        if self.unit == "B":
            return format_bytes(int(self.value))
        if self.unit == "ps":
            return format_time_ps(int(self.value))
        return f"{_decimal(self.value)} {self.unit}"


_INFINITE: AmountUnit = "infinite"
INFINITE = Amount(Fraction(0), _INFINITE)


def parse_rate(text: object) -> int:
    """Read a rate of a link, "100 Mbit/s", as bit/s. It must be above zero."""
    number = _scale(text, _RATE)
    if number == 0:
        raise UnitError(f"{text!r} is zero; write a rate above zero, such as '{_RATE.example}'")
    return number


def parse_time_ps(text: object) -> int:
    """Read a time or a delay, "45 ms", as picoseconds. Zero is allowed."""
    return _scale(text, _TIME)


def parse_bytes(text: object) -> int:
    """Read a size in bytes, "1460 B". Zero is allowed."""
    return _scale(text, _SIZE_IN_BYTES)


def parse_size(text: object) -> Amount:
    """Read the size of a file or of a window: "834 packets", "1 MB"."""
    amount = _amount(text, _SIZE)
    if amount.value <= 0:
        raise UnitError(f"{text!r} is not above zero; the least is '1 packet'")
    return amount


def parse_buffer(text: object) -> Amount:
    """Read a buffer: "834 packets", "1 MB", "50 ms", "0.5 BDP", "1 BDP/sqrt(n)", "infinite"."""
    if isinstance(text, str) and text.strip() == _INFINITE:
        return INFINITE
    return _amount(text, _BUFFER)


def parse_packets(text: object) -> Fraction:
    """Read a window, "10 packets"."""
    value, _ = _split(_text(text, _WINDOW), _WINDOW)
    if value <= 0:
        raise UnitError(f"{text!r} is not above zero; the least is '1 packet'")
    return value


def parse_frequency(text: object) -> float:
    """Read an arrival rate, "500 flows/s", as flows a second. It must be above zero."""
    value, _ = _split(_text(text, _FREQUENCY), _FREQUENCY)
    if value <= 0:
        raise UnitError(f"{text!r} is not above zero; write an arrival rate such as '500 flows/s'")
    return float(value)


def parse_count(text: object, units: tuple[str, ...], noun: str) -> float:
    """Read a number with one of `units`, such as "10 packets"."""
    kind = _Kind(dict.fromkeys(units, 1), noun, f"10 {units[0]}")
    value, _ = _split(_text(text, kind), kind)
    return float(value)


def ratio(unit: str, other: str) -> float | None:
    """Return the ratio of two units of the same kind, otherwise None."""
    for units in (_RATES, _TIMES, _BYTES):
        one, two = (units.get(_SYNONYMS.get(name, name)) for name in (unit, other))
        if one is not None and two is not None:
            return one / two
    return None


def sizes(texts: Sequence[str]) -> list[Fraction | float] | None:
    """Return the sizes of quantities of one kind, otherwise None.

    A kind is rates, times or sizes in any unit, or numbers with the same word, such as "5 %". Zero
    needs no unit, and "infinite" is larger than all others.
    """
    parts = [_split_quantity(text) for text in texts]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    words = {unit for value, unit in known if value != 0 and unit != _INFINITE}
    kinds = (_RATES, _TIMES, _BYTES, _MULTIPLES)
    scales = next((units for units in kinds if words <= units.keys()), None)
    if scales is None and len(words) > 1:
        return None
    return [
        math.inf if unit == _INFINITE else value * (scales or {}).get(unit, 1)
        for value, unit in known
    ]


def _split_quantity(text: str) -> tuple[Fraction, str] | None:
    if text in (_INFINITE, "inf"):
        return Fraction(1), _INFINITE
    match = _NUMBER.fullmatch(text)
    unit = (match[2] or "") if match else ""
    if match is None or any(one.isdigit() for one in unit):  # 0,5 or 0x28 or 0:15
        return None
    return Fraction(Decimal(match[1].replace("_", ""))), _SYNONYMS.get(unit, unit)


def readable(unit: str, largest: float) -> tuple[float, str]:
    """Return a readable unit for figures up to `largest`, and the factor to convert them."""
    scales = {"bit/s": (_RATES, 1.0), "s": (_TIMES, 1e-12), "B": (_BYTES, 1.0)}.get(unit)
    if scales is None or not 0 < largest < math.inf:
        return 1.0, unit
    units, one = scales
    decimal = {name: size * one for name, size in units.items() if name not in _UNDECIMAL}
    fitting = [name for name, size in decimal.items() if size <= largest * (1 + 1e-9)]
    name = fitting[-1] if fitting else next(iter(decimal))
    return 1 / decimal[name], "\N{MICRO SIGN}s" if name == "us" else name


def format_figure(value: float, sign: str = "", digits: int = 4) -> str:
    """Write a figure with a few significant digits, and a large one without an exponent."""
    rounded = float(f"{value:.{digits}g}") + 0.0  # -0.0 becomes 0.0
    if math.isfinite(rounded) and abs(rounded) >= 10**digits:
        return f"{value:{sign},.0f}"
    return f"{rounded:{sign}.{digits}g}"


def format_rate(bps: float) -> str:
    """Write bit/s with the largest unit that fits. Raises UnitError for NaN, infinity or a text."""
    return _format(bps, _RATES)


def format_time_ps(ps: float) -> str:
    """Write picoseconds with the largest decimal unit that fits.

    Raises UnitError for NaN, infinity or a text.
    """
    if ps == 0:
        return "0 s"
    return _format(ps, {name: size for name, size in _TIMES.items() if name not in _UNDECIMAL})


def format_bytes(size: int) -> str:
    """Write bytes with the largest decimal unit that divides them."""
    units = {u: s for u, s in _BYTES.items() if u not in _UNDECIMAL and size % s == 0}
    return _format(size, units)


def format_packets(value: Fraction) -> str:
    """Write a window."""
    return f"{_decimal(value)} packets"


def format_frequency(per_s: float) -> str:
    """Write an arrival rate."""
    return f"{per_s!r} flows/s"


def _text(given: object, kind: _Kind) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, int | float) and not isinstance(given, bool):
        raise UnitError(f"{as_toml(given)} has no unit; write {kind.what} such as '{kind.example}'")
    raise _no_quantity(given, kind)


def _scale(given: object, kind: _Kind) -> int:
    return _scale_text(_text(given, kind), kind)


# Scenarios of a study repeat the same few times and rates.
@lru_cache(maxsize=4096)
def _scale_text(text: str, kind: _Kind) -> int:
    value, unit = _split(text, kind)
    exact = _not_negative(value, text, kind) * kind.units[unit]
    whole = round(exact)
    if whole == 0 and exact > 0:
        raise UnitError(f"{text!r} is too small; the least is '1 {next(iter(kind.units))}'")
    if whole >= 2**63:
        raise UnitError(f"{text!r} is too large; the most is '{kind.most}'")
    return whole


def _amount(given: object, kind: _Kind) -> Amount:
    text = _text(given, kind)
    value, unit = _split(text, kind)
    _not_negative(value, text, kind)
    if unit in _BYTES:
        return Amount(Fraction(round(value * _BYTES[unit])), "B")
    if unit in _TIMES:
        return Amount(Fraction(round(value * _TIMES[unit])), "ps")
    return Amount(value, _AMOUNT_UNITS[_AMOUNT_UNITS.index(unit)])


def _not_negative(value: Fraction, text: str, kind: _Kind) -> Fraction:
    if value < 0:
        raise UnitError(f"{text!r} is negative; write {kind.what} such as '{kind.example}'")
    return value


def _split(text: str, kind: _Kind) -> tuple[Fraction, str]:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise _no_quantity(text, kind)
    unit = _SYNONYMS.get(match[2] or "", match[2] or "")
    if not unit:
        raise UnitError(f"{text!r} has no unit; write {kind.what} such as '{kind.example}'")
    if _COMMA.match(unit):
        point = text.replace(",", ".", 1)
        says = f"write a point before decimals, such as '{point}', and nothing between thousands"
        raise UnitError(f"{text!r} has a comma; {says}")
    if unit not in kind.units:
        raise _no_unit(text, unit, kind)
    return _check_bound(match[1], text, kind), unit


def _no_quantity(given: object, kind: _Kind) -> UnitError:
    return UnitError(
        f"{as_toml(given)} is not {kind.what}; write a number and a unit such as '{kind.example}'"
    )


def _no_unit(text: str, unit: str, kind: _Kind) -> UnitError:
    aliases = {name: name for name in kind.units} | {
        name: unit for name, unit in _SYNONYMS.items() if unit in kind.units
    }
    near = also(unit, aliases, aliases) if len(unit) > 1 else ""  # one letter may mean anything
    if (eighth := _convert_bits(text, unit, kind)) is not None:
        near = eighth and f"; a byte is 8 bits, so write '{eighth}'"
    known = ", ".join(kind.units)
    known = f"one of {known}" if len(kind.units) > 1 else f"{known}, such as '{kind.example}'"
    return UnitError(f"{text!r} has the unit '{unit}'; {kind.what} takes {known}{near}")


def _convert_bits(text: str, unit: str, kind: _Kind) -> str | None:
    """Return a size in bits as bytes, or bytes per second as bit/s.

    The text is empty for a unit that may mean either, and None for units of neither.
    """
    number = _NUMBER.fullmatch(text)
    value = Fraction(Decimal(number[1].replace("_", ""))) if number and len(number[1]) < 20 else 0
    if "B" in kind.units and (bits := _BITS.fullmatch(unit)) is not None:
        size = value * _PREFIXES[bits[1].lower()] / 8
        return format_bytes(int(size)) if bits[2] and size >= 1 else ""
    if kind is _RATE and (size_per_s := _BYTES_PER_S.fullmatch(unit)) is not None:
        rate = value * _BYTES.get(size_per_s[1], 1) * 8
        return format_rate(int(rate)) if size_per_s[1] in _BYTES and rate >= 1 else ""
    return None


def _check_bound(number: str, text: str, kind: _Kind) -> Fraction:
    """Read a number of a limited magnitude, which limits its digits."""
    value = Decimal(number.replace("_", ""))
    if value and not -MOST_DIGITS <= value.adjusted() <= MOST_DIGITS:
        size = "large" if value.adjusted() > 0 else "small"
        raise UnitError(f"{text!r} is too {size}; write {kind.what} such as '{kind.example}'")
    return Fraction(value)


def _format(number: object, units: Mapping[str, int]) -> str:
    if not isinstance(number, Real) or not math.isfinite(number):
        raise UnitError(f"{number!r} is not a finite number; only a number is written with a unit")
    exact = _exact(number)
    name, scale = next(iter(units.items()))
    for candidate, size in units.items():
        if 0 < size <= exact and size > scale:
            name, scale = candidate, size
    return f"{_decimal(exact / scale)} {name}"


def _exact(number: Real) -> Fraction:
    """Return a number as a fraction: a float by its shortest text, an integer as it is."""
    return Fraction(int(number)) if isinstance(number, Integral) else Fraction(repr(float(number)))


def _decimal(value: Fraction) -> str:
    # 40 digits represent any 63-bit integer over any decimal scale exactly.
    with localcontext() as context:
        context.prec = 40
        quotient = Decimal(value.numerator) / Decimal(value.denominator)
    text = f"{quotient:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
