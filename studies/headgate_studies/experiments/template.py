"""The template of an experiment in the form of NIST's: design, algorithms, periods, questions.

The base is a built-in network with Web users, MesoNet, or the user's scenario. In a scenario the
factors are the keys that studies usually vary, each at its value and at another one.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from headgate import HeadgateError, Scenario
from headgate.forms import TemplateRequest
from headgate_studies.experiments.mesonet import BASE
from headgate_studies.nist.responses import PERIODS

TEXTS = Path(__file__).with_name("templates")
MESONET = "mesonet"
#: The built-in networks of this template; `isp` without a base or a scenario.
NETWORKS = ("isp", "abilene", "dumbbell")
#: The factors of NIST's experiments, and words for their levels.
OF_MESONET = {
    "X1": ("slow network", "fast network"),
    "X2": ("short delays", "long delays"),
    "X3": ("small buffers", "large buffers"),
    "X7": ("short think times", "long think times"),
    "X12": ("few sources", "many sources"),
    "X13": ("Web-centric sources", "peer-to-peer sources"),
}
MOST_FACTORS = 6
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(.*)", re.DOTALL)


@dataclass(frozen=True)
class Candidate:
    """A key of a scenario that may become a factor: its title, and a multiple for its other level.

    `words` name the lower and the higher level.
    """

    end: str
    title: str
    times: float
    words: tuple[str, str]


#: Keys that studies vary, by the end of their path.
CANDIDATES = (
    Candidate("network.rate", "network speed", 2, ("slow network", "fast network")),
    Candidate("network.rtt", "round-trip time", 2, ("short delays", "long delays")),
    Candidate("network.delay_multiplier", "propagation delay", 2, ("short delays", "long delays")),
    Candidate("network.delay", "propagation delay", 2, ("short delays", "long delays")),
    Candidate("network.buffer", "buffer size", 0.25, ("small buffers", "large buffers")),
    Candidate("size.mean", "file size", 2, ("small files", "large files")),
    Candidate("size", "file size", 2, ("small files", "large files")),
    Candidate("think", "think time", 2, ("short think times", "long think times")),
    Candidate("users", "number of users", 2, ("few users", "many users")),
    Candidate("load", "load", 0.5, ("low load", "high load")),
    Candidate("count", "number of flows", 2, ("few flows", "many flows")),
)


def write_template(asked: TemplateRequest) -> str:
    """Return the text of an experiment's file. Raises HeadgateError for an unknown base."""
    if asked.scenario is not None:
        return _write_scenario(asked, asked.scenario)
    if asked.base == MESONET:
        return _write(asked, "mesonet.toml", MESONET_KEYS, _list_mesonet_factors())
    base = asked.base or NETWORKS[0]
    if base not in NETWORKS:
        known = ", ".join((*NETWORKS, MESONET))
        raise HeadgateError(
            f"--base {base}: there is no such base; there are {known}, and your scenario with"
            " --scenario FILE"
        )
    name = "dumbbell.toml" if base == "dumbbell" else "backbone.toml"
    return _fill(asked, name, {"kind": base})


MESONET_KEYS = {"periods": json.dumps(list(PERIODS.values()))}


def _fill(asked: TemplateRequest, name: str, texts: Mapping[str, str]) -> str:
    """Return the text of a file of templates with the names of the experiment."""
    head, body = ((TEXTS / one).read_text(encoding="utf-8") for one in ("head.toml", name))
    file = asked.file
    common = {"file": str(file), "title": json.dumps(asked.title), "out": f"out/{file.stem}"}
    return Template(head + body).substitute({**common, **texts})


def _write(
    asked: TemplateRequest, name: str, texts: Mapping[str, str], factors: Iterator[str]
) -> str:
    return _fill(asked, name, {**texts, "factors": "\n".join(factors)})


def _list_mesonet_factors() -> Iterator[str]:
    for one in BASE.parameters:
        if one.name in OF_MESONET:
            yield _write_factor(
                one.name, one.title, one.key, (one.low, one.high), OF_MESONET[one.name]
            )


def _write_factor(
    name: str, title: str, setting: str, levels: tuple[Any, Any], words: tuple[str, str]
) -> str:
    low, high = (json.dumps(level) for level in levels)
    return (
        f'[factors.{name}]\ntitle = "{title}"\nsetting = "{setting}"\nlow = {low}\n'
        f"high = {high}\nwords = {json.dumps(list(words))}\n"
    )


def _write_scenario(asked: TemplateRequest, file: Path) -> str:
    scenario = Scenario.load(file)
    found = list(_choose_factors(scenario))
    if len(found) < 2:
        known = ", ".join(dict.fromkeys(one.end for one in CANDIDATES))
        raise HeadgateError(
            f"{file}: contains fewer than two of the keys that this template varies ({known});"
            " `headgate experiment new FILE --scenario` writes an experiment without it"
        )
    count = len(found)
    place = os.path.relpath(file.absolute(), asked.file.absolute().parent)
    factors = (
        _write_factor(f"X{number}", one.title, path, levels, one.words)
        for number, (path, levels, one) in enumerate(found, 1)
    )
    texts = {
        "scenario": json.dumps(Path(place).as_posix()),
        "design": f'"2^({count}-1)"' if count > 3 else f'"2^{count}"',
        "derived": "" if scenario.measure.periods == 3 else _THREE_PERIODS,
    }
    return _write(asked, "scenario.toml", texts, factors)


_THREE_PERIODS = """
# Three periods of equal length after the warm-up of the scenario.
[derived]
"measure.periods" = "3"
"""


def _choose_factors(scenario: Scenario) -> Iterator[tuple[str, tuple[Any, Any], Candidate]]:
    """Yield up to six keys of a scenario with two levels that it accepts."""
    data = scenario.to_dict()
    data["network"].setdefault("buffer", "1 BDP")
    if data["network"]["kind"] in {"isp", "abilene"}:
        data["network"].setdefault("delay_multiplier", 1.0)
    paths = dict(_list_paths(data))
    chosen = 0
    for one in CANDIDATES:
        for path, value in paths.items():
            levels = _make_levels(value, one.times) if _ends(path, one.end) else None
            if levels and chosen < MOST_FACTORS and _accepts(scenario, path, levels):
                chosen += 1
                yield path, levels, one


def _ends(path: str, end: str) -> bool:
    return path == end or (path.startswith("traffic.") and path.split(".", 2)[-1] == end)


def _list_paths(data: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of nested tables and lists by its path."""
    pairs: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(data, Mapping):
        pairs = iter(data.items())
    elif isinstance(data, list):
        pairs = enumerate(data)
    else:
        yield above, data
    for key, value in pairs:
        yield from _list_paths(value, f"{above}.{key}" if above else str(key))


def _make_levels(value: Any, times: float) -> tuple[Any, Any] | None:
    """Return a value and its multiple, the lower first; None if the value is no quantity."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    other: Any
    if isinstance(value, str):
        found = _NUMBER.fullmatch(value)
        if found is None:
            return None
        other = f"{float(found[1]) * times:g}{found[2]}"
    else:
        other = max(1, round(value * times)) if isinstance(value, int) else value * times
    return (value, other) if times > 1 else (other, value)


def _accepts(scenario: Scenario, path: str, levels: tuple[Any, Any]) -> bool:
    if levels[0] == levels[1]:
        return False
    try:
        for level in levels:
            scenario.varied({path: level}).plan()
    except HeadgateError:
        return False
    return True
