"""Keys of a scenario by their paths: set, removed, and shares of algorithms in all traffic.

A path consists of keys with points between them; numbers index lists. `cca` is the algorithm of all
traffic, `cca.KEY` a key of it, and `share.NAME` the share of an algorithm in all traffic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from tomllib import TOMLDecodeError
from typing import Any

from headgate.base.errors import ScenarioError
from headgate.base.files import parse_toml
from headgate.base.messages import also
from headgate.plugin.user_code import is_code
from headgate.scenario.mixes import find_part, is_mix, mix_in, set_share

#: The key of traffic that names its algorithm; without a path, that of all traffic.
EVERY_CCA = "cca"
#: Former keys of traffic for it.
_FORMER = frozenset({"law", "laws", "control"})
#: Tables that may be one word, and the key of that word.
_SHORT_FORMS = dict.fromkeys(("cca", "queue", "feedback"), "name") | {"transport": "preset"}
#: The first word of a path that sets the share of an algorithm.
SHARE = "share"
_SHARE = re.compile(r"(?:traffic\.(?P<item>\d+)\.)?share\.(?P<name>.+)", re.DOTALL)
#: Kinds of traffic without an algorithm: hosts bring their own, and media has rate controllers.
_WITHOUT_CCA = frozenset({"live", "media"})
#: The value that removes a key.
UNSET = {"unset": True}
#: Most keys that a message lists.
_MOST = 12
#: A number in brackets behind the name of a list, as errors write it.
_BRACKETS = re.compile(r"(?<=[a-z])\[(\d+)\]")


def parse_setting(text: str) -> tuple[str, Any]:
    """Read `key=value` of the command line; a value that is not TOML is a word."""
    key, sign, value = text.partition("=")
    key = key.strip()
    if not sign or not key:
        says = 'is not key=value; write --set network.rate="50 Mbit/s"'
        raise ScenarioError(f"--set {text}", says)
    try:
        return key, parse_toml(f"x = {value}")["x"]
    except TOMLDecodeError:
        return key, value.strip()
    except ValueError as error:
        raise ScenarioError(f"--set {key}", str(error)) from None


def share_in(key: str) -> str:
    """Return the algorithm whose share a path sets, `bbr3` of `share.bbr3`; "" for other paths."""
    found = _SHARE.fullmatch(key)
    return "" if found is None else found["name"]


def code_in(key: str) -> str:
    """Return the algorithm that a path names behind `share` or `cca`, "" if it names none."""
    steps = _split(key)
    return share_in(key) or (steps[-1] if EVERY_CCA in steps[:-1] else "")


def change_keys(data: dict[str, Any], changes: Iterable[tuple[str, Any]]) -> None:
    """Set the keys at these paths; the value `{unset = true}` removes a key.

    Shares are set last and together, in any order. Raises ScenarioError.
    """
    shares: dict[str | None, dict[str, Any]] = {}
    for key, value in changes:
        if (share := _SHARE.fullmatch(key)) is not None:
            shares.setdefault(share["item"], {})[share["name"]] = value
        elif value == UNSET:
            _remove(filter(None, [_find(data, _split(key))]))
        else:
            set_key(data, key, value)
    for item, of_item in shares.items():
        _set_shares(data, item, of_item)


def set_key(data: dict[str, Any], key: str, value: Any) -> None:
    """Set the key at a dotted path; numbers index lists, and `cca` sets that of all traffic."""
    _refuse_other_spelling(key)
    if key == EVERY_CCA:
        set_cca(data, value)
        return
    if key.startswith(f"{EVERY_CCA}."):
        for place in _senders(data, key):
            set_key(data, f"traffic.{place}.{key}", value)
        return
    here: Any = data
    *path, last = _split(key)
    for step in path:
        here = _child(here, step, key)
    if isinstance(here, list):
        if path[-1] == EVERY_CCA and is_mix(here) and not last.isdecimal():
            set_share(here, last, value, key)
        else:
            here[_place(here, last, key)] = value
    elif isinstance(here, dict):
        here[last] = value
    else:
        raise ScenarioError(key, f"'{path[-1]}' has no keys of its own")


def unset_keys(
    data: dict[str, Any], keys: Iterable[str], defaults: Mapping[str, Any] | None = None
) -> None:
    """Remove the keys at these paths; numbers index the lists before any is shortened.

    `defaults` contains the keys that `data` omits because their values are the defaults.

    Raises ScenarioError for a key that is in neither, with similar ones.
    """
    paths = list(keys)
    for key in paths:
        _refuse_other_spelling(key)
    unset_paths(data, map(_split, paths), defaults)


def unset_paths(
    data: dict[str, Any],
    paths: Iterable[Sequence[str]],
    defaults: Mapping[str, Any] | None = None,
) -> None:
    """Like `unset_keys`, with each path as its steps."""
    places = []
    for path in paths:
        if (place := _find(data, path)) is not None:
            places.append(place)
        elif _find(defaults, path) is None:
            raise ScenarioError(".".join(path), _describe_missing(data, path))
    _remove(places)


def set_cca(data: dict[str, Any], cca: Any) -> None:
    """Set the algorithm of all traffic that takes one, or its mix. Raises ScenarioError."""
    for place in _senders(data, EVERY_CCA):
        data["traffic"][place][EVERY_CCA] = cca


def takes_cca(item: Any) -> bool:
    """Return whether an item of traffic names an algorithm."""
    return isinstance(item, dict) and item.get("kind") not in _WITHOUT_CCA


def _senders(data: Mapping[str, Any], key: str) -> list[int]:
    """Return the places of traffic that names an algorithm.

    Raises ScenarioError if no traffic does, so that the key would be ignored.
    """
    traffic = data.get("traffic")
    items = traffic if isinstance(traffic, list) else []
    places = [place for place, item in enumerate(items) if takes_cca(item)]
    others = {str(item["kind"]) for item in items if isinstance(item, dict) and not takes_cca(item)}
    if others and not places:
        says = f"traffic of the kind {' or '.join(sorted(others))} takes no algorithm"
        raise ScenarioError(key, f"{says}, and there is no other traffic")
    return places


def _set_shares(data: dict[str, Any], item: str | None, shares: dict[str, Any]) -> None:
    """Set the shares of algorithms in all traffic, or in one item of it."""
    traffic = data.get("traffic")
    key = SHARE if item is None else f"traffic.{item}.{SHARE}"
    if item is not None:
        _place(traffic if isinstance(traffic, list) else [], item, key)
    for place in _senders(data, key) if item is None else [int(item)]:
        of = data["traffic"][place]
        if not isinstance(of, dict) or EVERY_CCA not in of:
            says = f"traffic[{place}] names no algorithm for the other share"
            raise ScenarioError(key, says)
        of[EVERY_CCA] = mix_in(of[EVERY_CCA], shares, key)


def _split(key: str) -> list[str]:
    """Split a path; a file of code behind `cca` is one step, although its name contains points."""
    steps = key.split(".")
    if EVERY_CCA in steps:
        below = steps.index(EVERY_CCA) + 1
        if is_code(rest := ".".join(steps[below:])):
            return [*steps[:below], rest]
    return steps


def _refuse_other_spelling(key: str) -> None:
    """Refuse a place in brackets, and a former key of traffic, with the present path."""
    dotted = ".".join(s if is_code(s) else _BRACKETS.sub(r".\1", s) for s in _split(key))
    if dotted != key:
        raise ScenarioError(key, f"the number of an item follows a point; write {dotted}")
    steps = key.split(".")
    if steps[0] != "traffic" and len(steps) > 1:
        return
    now = ".".join(EVERY_CCA if step in _FORMER else step for step in steps)
    if now != key:
        raise ScenarioError(key, f"this key is now '{EVERY_CCA}'; write {now}")


def _child(here: Any, step: str, key: str) -> Any:
    if isinstance(here, list):
        return here[_place(here, step, key)]
    if not isinstance(here, dict):
        raise ScenarioError(key, f"there is nothing below '{step}'")
    child = here.setdefault(step, {})
    if isinstance(child, str) and step in _SHORT_FORMS:
        child = here[step] = {_SHORT_FORMS[step]: child}
    return child


def _place(items: Sequence[Any], step: str, key: str) -> int:
    if step.isdecimal() and int(step) < len(items):
        return int(step)
    suggestion = "" if step.isdecimal() else _with_place(items, key, step)
    says = f"'{step}' is not a place in a list of {len(items)}{suggestion}"
    raise ScenarioError(key, says)


def _with_place(items: Sequence[Any], key: str, step: str) -> str:
    """Suggest a key with a number; it replaces a word that is a name, or no key of an item."""
    before, _, after = f".{key}.".partition(f".{step}.")
    for place, item in enumerate(items):
        if isinstance(item, Mapping) and item.get("name") == step:
            path = ".".join(filter(None, (before.strip("."), str(place), after.strip("."))))
            return f"; write {path} for the one of that name"
    is_key = any(isinstance(item, Mapping) and step in item for item in items)
    kept = step if is_key or not after.strip(".") else ""
    path = ".".join(filter(None, (before.strip("."), "0", kept, after.strip("."))))
    for_all = f", or {EVERY_CCA} for all traffic" if path.split(".")[-1] == EVERY_CCA else ""
    return f"; write {path} for the first one{for_all}"


#: A table or list, and a key or an index of it.
_Found = tuple[Any, str | int]


def _find(data: Any, path: Sequence[str]) -> _Found | None:
    """Return the table or list that contains a key, and its place there; None if it is not set."""
    here, found = data, None
    for step in path:
        at: str | int | None = None
        if isinstance(here, Mapping) and step in here:
            at = step
        elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            at = int(step)
        elif isinstance(here, list) and is_mix(here):
            at = find_part(here, step, ".".join(path))
        if at is None:
            return None
        found = here, at
        here = here[at]
    return found


def _remove(places: Iterable[_Found]) -> None:
    """Remove what was found, from the ends of lists to their beginnings."""
    unique = {(id(here), at): (here, at) for here, at in places}.values()
    for here, at in sorted(unique, key=lambda place: _index(place[1]), reverse=True):
        del here[at]


def _index(at: str | int) -> int:
    return at if isinstance(at, int) else -1


def _describe_missing(data: Any, path: Sequence[str]) -> str:
    """Describe the first step of a path that leads nowhere."""
    here, above = data, ""
    for step in path:
        known = list(here) if isinstance(here, Mapping) else []
        if isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            here = here[int(step)]
        elif step in known:
            here = here[step]
        elif isinstance(here, list) and is_mix(here):
            return f"'{step}' is not in the mix {above}"
        elif isinstance(here, list):
            suggestion = "" if step.isdecimal() else _with_place(here, ".".join(path), step)
            return f"'{step}' is not a place in the list of {len(here)} at {above}{suggestion}"
        elif not isinstance(here, Mapping):
            return f"there is nothing below '{above}', which is a value"
        else:
            listed = ", ".join(map(str, known[:_MOST])) + (", ..." if len(known) > _MOST else "")
            place = f"of {above} " if above else ""
            says = f"the keys {place}that are set are {listed}" if known else f"{above} is empty"
            return f"'{step}' is not set; {says}{also(step, known)}"
        above = f"{above}.{step}".strip(".")
    return "this key is not set"
