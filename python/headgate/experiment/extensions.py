"""Parts of experiments that installed packages register: bases, sets of responses, templates.

An entry point of the group `headgate.bases` is an `ExperimentBase`, one of `headgate.responses` a
`ResponseSet`, and one of `headgate.templates` a function from a `TemplateRequest` to the text of an
experiment's file. Names are read without an import of any package.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from headgate.base.errors import HeadgateError, MissingLibraryError, ScenarioError
from headgate.base.messages import also
from headgate.base.optional import advise
from headgate.base.strict import fit_model
from headgate.experiment import measures
from headgate.experiment.measures import Measure
from headgate.figures.analysis.roles import Question
from headgate.scenario.keys import EVERY_CCA, set_key

if TYPE_CHECKING:
    from pathlib import Path

    from headgate.engine.api import Scenario

BASES, RESPONSES, TEMPLATES = "headgate.bases", "headgate.responses", "headgate.templates"
#: The key of the table `scenario` that names a registered base.
BASE = "base"
_NOUNS = {BASES: "base", RESPONSES: "set of responses", TEMPLATES: "template"}


@cache
def list_registered(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name. Raises HeadgateError for a name used twice."""
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group)):
        other = found.setdefault(entry.name, entry)
        if other != entry:
            packages = " and ".join(one.value.partition(".")[0] for one in (other, entry))
            raise HeadgateError(
                f"two packages register a {_NOUNS[group]} {entry.name!r}: {packages}; uninstall one"
            )
    return found


def load_registered(group: str, name: str, place: str) -> Any:
    """Return the object that a package registers; `place` begins the message of an error.

    Raises MissingLibraryError if nothing is registered, and HeadgateError for an unknown name.
    """
    found = list_registered(group)
    if not found:
        raise MissingLibraryError(
            f"{place} needs headgate-studies, which is not installed; {advise('studies')}"
        )
    if name not in found:
        known = ", ".join(found)
        raise HeadgateError(
            f"{place}: {name!r} is not a {_NOUNS[group]}; there are {known}{also(name, found)}"
        )
    return found[name].load()


@dataclass(frozen=True)
class BaseParameter:
    """A parameter of a registered base: its key, its short name, and two usual levels."""

    key: str
    name: str
    title: str
    low: Any
    high: Any
    source: str = ""
    """The source of the levels."""


@dataclass(frozen=True)
class ExperimentBase:
    """A parametric scenario: `model` checks its keys, and its `scenario()` makes the scenario."""

    model: type[BaseModel]
    title: str
    parameters: Sequence[BaseParameter] = ()
    deploy: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]] | None = None
    """Returns the keys for a mix of algorithms, given as parts with `cca` and `share`."""

    def find_key(self, name: str) -> str:
        """Return the key of a parameter's short name, such as X1; any other name as it is."""
        return next((one.key for one in self.parameters if one.name == name), name)


@dataclass(frozen=True)
class ChosenBase:
    """A registered base with the keys that an experiment sets."""

    base: ExperimentBase
    keys: Mapping[str, Any]

    @property
    def model(self) -> type[BaseModel]:
        """The model of the keys."""
        return self.base.model

    def scenario(self) -> Scenario:
        """Make the scenario of the keys. Raises ScenarioError."""
        return self.varied({})

    def varied(self, changes: Mapping[str, Any]) -> Scenario:
        """Make the scenario with changed keys of the base, or of the scenario that it makes.

        A path that begins with a key of the base changes this key. Raises ScenarioError.
        """
        keys, paths = copy.deepcopy(dict(self.keys)), {}
        for name, value in changes.items():
            key = self.base.find_key(name)
            if "." in key and key.partition(".")[0] not in self.model.model_fields:
                paths[key] = value
            elif key == EVERY_CCA and isinstance(value, list | tuple):
                keys |= self._deploy(value)
            else:
                set_key(keys, key, value) if "." in key else keys.update({key: value})
        made: Scenario = fit_model(self.model, keys, "").scenario()  # type: ignore[attr-defined]
        return made.varied(paths) if paths else made

    def _deploy(self, parts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        if self.base.deploy is None:
            raise ScenarioError(EVERY_CCA, f"{self.base.title} takes one algorithm, not a mix")
        return self.base.deploy(parts)


def choose_base(table: Mapping[str, Any]) -> ChosenBase:
    """Return the base that a table `scenario` names, with its keys. Raises HeadgateError."""
    name = table[BASE]
    if not isinstance(name, str):
        raise ScenarioError(f"scenario.{BASE}", f"{name!r} is not the name of a base, in quotes")
    base: ExperimentBase = load_registered(BASES, name, f"scenario.{BASE} = {name!r}")
    return ChosenBase(base, {key: value for key, value in table.items() if key != BASE})


@dataclass(frozen=True)
class ResponseSet:
    """Responses by name, the questions that they answer, and the measure of congestion."""

    measures: Mapping[str, Measure]
    questions: Mapping[Question, Sequence[str]] = field(default_factory=dict)
    congestion: str = ""

    def roles(self, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys `questions` and `congestion` for chosen responses."""
        questions = {
            question: tuple(name for name in names if name in chosen)
            for question, names in self.questions.items()
        }
        kept = {question: names for question, names in questions.items() if names}
        congestion = self.congestion if self.congestion in chosen else ""
        return {key: of for key, of in (("questions", kept), ("congestion", congestion)) if of}


def find_response_set(name: str) -> ResponseSet | None:
    """Return a registered set of responses by its name; None if there is none."""
    found = list_registered(RESPONSES)
    return found[name].load() if name in found else None


def find_measure(word: str) -> Measure:
    """Return the measure of a word, or of a name in a registered set.

    Raises HeadgateError with the allowed words.
    """
    try:
        return measures.find(word)
    except HeadgateError:
        sets = (entry.load() for entry in list_registered(RESPONSES).values())
        found = [one.measures[word] for one in sets if word in one.measures]
        if not found:
            raise
        measure: Measure = found[0]
        return measure


@dataclass(frozen=True)
class TemplateRequest:
    """The file that a template writes, and the base of the experiment."""

    file: Path
    """The file to be written; a path of the scenario is relative to its folder."""
    title: str
    base: str = ""
    """The name of a base or of a built-in network; empty for the template's own."""
    scenario: Path | None = None
    """The scenario to be varied, in place of a base."""


Template = Callable[[TemplateRequest], str]
