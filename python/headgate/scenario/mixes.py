"""Mixes of algorithms as plain data: the forms of TOML, shares set by name, and their mistakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.base.messages import also, as_toml
from headgate.plugin.code_files import split
from headgate.plugin.user_code import is_code

#: Keys of a table that is one algorithm.
OF_ONE = frozenset({"name", "source", "params", "kind"})
#: Rounding error of shares with six decimals, which add up to 1.
ROUNDING = 1e-6
#: Decimals of shares that are computed from others.
_DECIMALS = 12
#: Number of algorithms that a message lists.
_MOST = 3

Part = dict[str, Any]


def is_mix(given: Any) -> bool:
    """Return whether a value of the key `cca` is a mix: a table of shares, or a list of parts."""
    if isinstance(given, Mapping):
        return bool(given) and OF_ONE.isdisjoint(given)
    is_list = isinstance(given, list | tuple) and bool(given)
    return is_list and all(isinstance(part, Mapping) and "share" in part for part in given)


def is_algorithm(name: object) -> bool:
    """Return whether a text is a name of the catalogue, or a file with a user-defined algorithm."""
    return isinstance(name, str) and (catalog.is_cca(name) or is_code(name) or "/" in name)


def describe_unknown(word: str, given: Mapping[str, Any]) -> str:
    """Describe a table in which `word` is neither an algorithm nor the key of one.

    The sentence offers both readings: one algorithm with parameters, and a mix with shares.
    """
    if catalog.is_rate_controller(word):
        return f"{word!r} is {catalog.OF_MEDIA}"
    names = [name for card in catalog.ccas() for name in card.names]
    if near := also(word, names):
        return f"{word!r} is not a congestion control algorithm{near}"
    params = {card.name: {param.name for param in card.params} for card in catalog.ccas()}
    having = [name for name, known in params.items() if word in known]
    is_param = f", but a parameter of {_list(having)}" if having else ""
    one = {"name": having[0] if having else "cubic", **given}
    written = ", ".join(f"{key} = {as_toml(value)}" for key, value in one.items())
    return (
        f"{word!r} is not a congestion control algorithm{is_param}; for one algorithm, write its"
        f" name, such as {{ {written} }}; for a mix, write a share for each algorithm, such as"
        " { cubic = 0.5, bbr3 = 0.5 }"
    )


def _list(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST]) + (", ..." if len(names) > _MOST else "")


def list_parts(given: Mapping[str, Any]) -> list[Part]:
    """Return a table of shares `{reno = 0.5, bbr = 0.5}` as a list of parts. Raises ValueError."""
    for name in given:
        if not is_algorithm(name):
            raise ValueError(describe_unknown(str(name), given))
    return [{"cca": name, "share": share} for name, share in given.items()]


def set_share(parts: list[Any], name: str, share: Any, key: str) -> None:
    """Set the share of an algorithm in a list of parts; a new algorithm becomes a new part.

    Raises ScenarioError.
    """
    if (found := find_part(parts, name, key)) is not None:
        parts[found] = {**parts[found], "share": share}
    elif is_algorithm(name):
        parts.append({"cca": name, "share": share})
    else:
        raise ScenarioError(key, describe_unknown(name, {name: share}))


def find_part(parts: Sequence[Any], name: str, key: str) -> int | None:
    """Return the place of an algorithm in a list of parts, None if it is in none of them.

    Raises ScenarioError if several parts have it, one for each class of routers.
    """
    wanted = _identify(name)
    found = [place for place, part in enumerate(parts) if _identify(part.get("cca")) == wanted]
    if len(found) > 1:
        before = key.rpartition(name)[0]
        says = f"{len(found)} parts of this mix are {name!r}; write one of them by its place:"
        raise ScenarioError(key, f"{says} {before}{found[0]}.share")
    return found[0] if found else None


def mix_in(given: Any, shares: Mapping[str, float], key: str) -> list[Part]:
    """Return the value of a key `cca` as a mix in which these algorithms have these shares.

    The other algorithms share the rest in their proportions, in each class of routers. Those with
    given shares come first, so that its users keep it when a share grows. Raises
    ScenarioError.
    """
    named = {_identify(name): name for name in shares}
    total = _check(shares, key)
    parts = _to_parts(given, key)
    made: list[Part] = []
    for source in dict.fromkeys(part.get("source") for part in parts):
        here = [part for part in parts if part.get("source") == source]
        others = [part for part in here if _identify(part["cca"]) not in named]
        weight = sum(part["share"] for part in others)
        if 1 - total > ROUNDING and not weight:
            says = f"leave {1 - total:g} for other algorithms, and this traffic names no other one"
            raise ScenarioError(key, f"the shares {says}; write its algorithm with the key 'cca'")
        known = {_identify(part["cca"]): part["cca"] for part in here}
        of_class = {} if source is None else {"source": source}
        made += [
            {"cca": known.get(identity, name), "share": shares[name], **of_class}
            for identity, name in named.items()
        ]
        scale = (1 - total) / weight if weight else 0.0
        made += [part | {"share": round(part["share"] * scale, _DECIMALS)} for part in others]
    return made


def _check(shares: Mapping[str, Any], key: str) -> float:
    """Return the sum of the given shares. Raises ScenarioError."""
    for name, share in shares.items():
        if not is_algorithm(name):
            known = [name for card in catalog.ccas() for name in card.names]
            says = f"{name!r} is not a congestion control algorithm{also(name, known)}"
            if catalog.is_rate_controller(name):
                says = f"{name!r} is {catalog.OF_MEDIA}"
            raise ScenarioError(f"{key}.{name}", says)
        is_number = isinstance(share, int | float) and not isinstance(share, bool)
        if not is_number or not 0 <= share <= 1:
            says = f"{as_toml(share)} is not allowed; a share is a number from 0 to 1"
            raise ScenarioError(f"{key}.{name}", says)
    total = float(sum(shares.values()))
    if total > 1 + ROUNDING:
        raise ScenarioError(key, f"the shares add up to {total:g}; they must add up to at most 1")
    return total


def _to_parts(given: Any, key: str) -> list[Part]:
    if not is_mix(given):
        return [{"cca": given, "share": 1.0}]
    if not isinstance(given, Mapping):
        return [dict(part) for part in given]
    try:
        return list_parts(given)
    except ValueError as error:
        raise ScenarioError(key, str(error)) from None


def _identify(cca: Any) -> str:
    """Return the same text for all spellings of an algorithm: alias, table or relative path."""
    if isinstance(cca, Mapping):
        cca = cca.get("name") or cca.get("source")
    text = str(cca)
    if is_code(text):
        file, name = split(text)
        return f"{Path(file).absolute()}:{name or ''}"
    return catalog.cca(text).name if is_algorithm(text) and "/" not in text else text
