"""A study: a folder with a specification (`study.toml`), claims (`claims.toml`) and an analysis.

It names the laws that are compared (`["*"]`: all that need no router's help), what is held fixed,
and how much of it each scale runs; a designed study names factors with two levels each.
Either file may extend another (`extends = "../nist/replaced.toml"`) and say what is different.
A study whose sweeps are scenarios is declared (see `declared`); any other has Python (see `coded`).
"""

import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from headgate.base import catalog
from headgate.base.errors import FluidWarning, HeadgateError
from headgate.base.messages import also
from headgate.base.optional import advise
from headgate.base.strict import Strict, fit_model
from headgate.base.terminal import check_name
from headgate.claims.verdicts import Estimate
from headgate.design.factor import Factor
from headgate.design.factorial import Design, make_factorial
from headgate.design.generate import load_design
from headgate.experiment import toml_extends
from headgate.experiment.check import require_code
from headgate.experiment.form import ResponseTable
from headgate.experiment.runnable import Analysis, Source
from headgate.experiment.runs import Key, Runs, Setup
from headgate.experiment.scales import fraction
from headgate.experiment.study.claims import CLAIMS, StudyClaim, read_claims
from headgate.experiment.study.coded import Coded
from headgate.experiment.study.declared import Declared
from headgate.experiment.study.names import SPEC, places
from headgate.experiment.study.sweeps import BASE

if TYPE_CHECKING:
    from headgate.engine.api import Result
    from headgate.lab.jobs import Job

MODULE = "analysis.py"
EVERY_LAW = ("*",)


class StudyFactor(Strict):
    """A factor of the study: its title, the setting it drives, its two levels, their words."""

    title: str
    setting: str
    low: Any
    high: Any
    words: tuple[str, str] | None = None


class Scale(Strict):
    """How much of a study is run: which factors vary, how often, and at what size."""

    factors: tuple[str, ...] = ()
    generators: dict[str, str] = Field({})
    seeds: int = Field(ge=1)
    size: float = Field(gt=0)
    fixed: dict[str, Any] = Field({})
    levels: dict[str, tuple[Any, Any]] = Field({})
    """Low and high level of factors that have others at this scale than in the study."""


class StudySpec(Strict):
    """`study.toml` as a value."""

    name: str
    title: str
    question: str
    laws: tuple[str, ...]
    no_own_law: str = ""
    """Why it takes no law of the user's own, if it does not."""
    first_seed: int = 1
    fixed: dict[str, Any] = Field({})
    factors: dict[str, StudyFactor] = Field({})
    sources: dict[str, Source] = Field({})
    """Where the values of settings come from, by their names."""
    responses: dict[str, ResponseTable] = Field({})
    """What is measured of every run of a declared study."""
    sweeps: dict[str, dict[str, Any]] = Field({})
    """Its parts: each what an experiment's file is, or a function with levels (see `sweeps`)."""
    scales: dict[str, Scale]

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, given: str) -> str:
        return check_name(given)

    @field_validator("sweeps")
    @classmethod
    def _name_files(cls, given: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for name in given:
            check_name(name)
        return given

    @property
    def declared(self) -> bool:
        """Say whether its sweeps are scenarios, so that it needs no Python."""
        return bool(self.sweeps) and not any(BASE in sweep for sweep in self.sweeps.values())


@dataclass(frozen=True)
class Study:
    """A study by its folder, and by the package that contains it."""

    folder: Path
    package: str = ""
    """The package that registers the study; empty for a folder, which cannot contain code."""

    @cached_property
    def spec(self) -> StudySpec:
        """What `study.toml` says, checked."""
        path = self.folder / SPEC
        return fit_model(StudySpec, toml_extends.read(path), str(path))

    @cached_property
    def claims(self) -> list[StudyClaim]:
        """The claims, checked."""
        return read_claims(self.folder / CLAIMS)

    @property
    def name(self) -> str:
        """What it is called in commands."""
        return self.spec.name

    @property
    def title(self) -> str:
        """Its title."""
        return self.spec.title

    @property
    def question(self) -> str:
        """What it is to answer."""
        return self.spec.question

    @property
    def sources(self) -> Mapping[str, Source]:
        """Where the values of settings come from."""
        return self.spec.sources

    @property
    def paths(self) -> list[Path]:
        """Specification and claims as they are written, with what they extend."""
        return [file for name in (SPEC, CLAIMS) for file in toml_extends.files(self.folder / name)]

    @property
    def files(self) -> Mapping[str, bytes]:
        """What these files hold, by name."""
        return {path.name: path.read_bytes() for path in self.paths}

    @property
    def code(self) -> Sequence[Path]:
        """Its own files and those that they import or extend, claims apart."""
        return sorted(_files_of(self.folder, _pattern_of_imports(self.package), set()))

    @property
    def laws(self) -> tuple[str, ...]:
        """The laws that are compared, by their names in the registry."""
        if self.spec.laws == EVERY_LAW:
            apart = ("explicit", "none")
            return tuple(law.name for law in catalog.laws() if law.family not in apart)
        return self.spec.laws

    @property
    def jobs(self) -> "Callable[[Setup], Mapping[Key, Job]]":
        """The function that makes every run of a scale, by key."""
        return self._form.jobs

    @property
    def analyse(self) -> "Callable[[Runs], Analysis]":
        """The function that turns finished runs into findings and figures."""
        return self._form.analyse

    def find(self, runs: Runs) -> dict[str, Estimate]:
        """Find what the claims ask of finished runs, without pictures and tables."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FluidWarning)
            return self._form.find_in(runs)

    @property
    def keep(self) -> "Callable[[Result], Result] | None":
        """The function that makes little of a finished run before it is stored, if there is one."""
        return self._form.keep

    def has_all(self, result: "Result") -> bool:
        """Say whether a stored run has what the analysis asks."""
        return isinstance(self._form, Coded) or self._form.has_all(result)

    def trim(self, result: "Result") -> "Result":
        """Return the whole result: what the analysis asks is known to it alone."""
        return result

    @cached_property
    def _form(self) -> Declared | Coded:
        coded, spec = Coded(self.package, self.folder, self.spec.sweeps, self.claims), self.spec
        if not spec.declared:
            return coded
        show = coded.own("show") if self.module.exists() else None
        return Declared(self.folder, spec.responses, spec.sweeps, self.claims, show)

    @property
    def module(self) -> Path:
        """Its analysis; a declared study may have none."""
        return self.folder / MODULE

    def scale(self, name: str) -> Scale:
        """Return a scale by name; a number is that fraction of the full size."""
        if name in self.spec.scales:
            return self.spec.scales[name]
        full = self.spec.scales["full"]
        known = list(self.spec.scales)
        near = also(name, known)
        share = fraction(name, f"scale {name!r} is not one of {', '.join(known)} or", near)
        return full.model_copy(update={"size": full.size * share})

    def settings(self, scale: Scale) -> dict[str, Any]:
        """Return what is held fixed at a scale."""
        factors = self._factors(scale)
        held = {f.setting: f.low for name, f in factors.items() if name not in scale.factors}
        return {**held, **self.spec.fixed, **scale.fixed, "size": scale.size}

    def design(self, scale: Scale) -> Design:
        """Return the design of a scale."""
        factors = self._factors(scale)
        chosen = [Factor(name, **factors[name].model_dump()) for name in scale.factors]
        return make_factorial(chosen, scale.generators)

    def _factors(self, scale: Scale) -> dict[str, StudyFactor]:
        """Return the factors with the levels that they have at a scale. Raises HeadgateError."""
        factors = dict(self.spec.factors)
        for name, (low, high) in scale.levels.items():
            if name not in factors:
                known = ", ".join(factors) or "none"
                raise HeadgateError(
                    f"{self.name}: levels: there is no factor {name!r}; there are {known}"
                )
            factors[name] = factors[name].model_copy(update={"low": low, "high": high})
        return factors

    def setup(self, scale: Scale, own: Sequence[str] = (), design: str = "") -> Setup:
        """Return what a scale has to work with; `own` are users' own laws, as file and name.

        With a `design`, a design file, its factors vary and the study's own are held at their low
        level.
        """
        if own and self.spec.no_own_law:
            raise HeadgateError(
                f"{self.spec.name}: takes no law of one's own, as {self.spec.no_own_law}"
            )
        seeds = tuple(range(self.spec.first_seed, self.spec.first_seed + scale.seeds))
        laws, own_design = (*self.laws, *own), self.design(scale)
        if design:
            own_design = self._load_design(design)
            scale = scale.model_copy(update={"factors": ()})
        return Setup(laws, seeds, self.settings(scale), own_design, own=tuple(own))

    def require_code(self, setup: Setup, *, trust: bool = False) -> None:
        """Load the code that a study outside the package names, once the user allows it.

        With `trust` the user allows it now. Raises HeadgateError if some of it may not run.
        """
        if self.package or not isinstance(self._form, Declared):
            return
        for experiment in self._form.experiments(setup).values():
            if trust:
                experiment.definition.allow_code()
            require_code(experiment.definition)

    def _load_design(self, file: str) -> Design:
        """Read the design that takes the place of the study's own; raise HeadgateError."""
        if not self.spec.factors:
            raise HeadgateError(f"{self.spec.name}: has no factors, so that it takes no design")
        design, known = load_design(file).design, self._settable
        for factor in design.factors:
            if factor.setting not in known:
                raise HeadgateError(
                    f"{file}: factor {factor.name}: {factor.setting!r} cannot be varied in"
                    f" {self.spec.name}; what can be is {', '.join(sorted(known))}"
                )
        return design

    @property
    def _settable(self) -> frozenset[str]:
        """What a user's design may vary: what the module says, else the keys of study.toml."""
        own = {*self.spec.fixed, *(factor.setting for factor in self.spec.factors.values())}
        return (self._form.settable if isinstance(self._form, Coded) else None) or frozenset(own)


def _pattern_of_imports(package: str) -> re.Pattern[str]:
    """Return the pattern of an import from the package, and of a specification that is extended."""
    imports = rf"from {re.escape(package)}\.|" if package else ""
    return re.compile(rf"(?:{imports}extends = \"\.\./)(\w+)")


def _files_of(place: Path, imported: re.Pattern[str], seen: set[Path]) -> set[Path]:
    """Collect the files of a folder of studies, or of a module, and of what they import."""
    if place in seen:
        return seen
    found = [place] if place.suffix else [*place.glob("*.py"), *place.glob("*.toml")]
    seen |= {place, *(file for file in found if not file.name.endswith(CLAIMS))}
    for file in found:
        for name in imported.findall(file.read_text(encoding="utf-8")):
            other = (place.parent if place.suffix else place).parent / name
            module = other.with_suffix(".py")
            _files_of(module if module.is_file() else other, imported, seen)
    return {file for file in seen if file.suffix}


def load(name: str) -> Study:
    """Return a study by its name, or by its folder if it is declared. Raises HeadgateError."""
    known = places()
    if name in known:
        return Study(known[name].folder, known[name].package)
    if not (Path(name) / SPEC).is_file():
        raise HeadgateError(
            f"{name!r} is not a study, nor a folder with a {SPEC}; {_list_names(name, known)}"
        )
    return _load_folder(Path(name))


def _list_names(name: str, known: Collection[str]) -> str:
    if not known:
        return f"no package with studies is installed; {advise('studies')}"
    return f"the studies are {', '.join(known)}{also(name, known)}"


def _load_folder(folder: Path) -> Study:
    """Read a study that the package does not have; nothing of it may be code."""
    study = Study(folder)
    if not study.spec.declared or study.module.exists():
        raise HeadgateError(
            f"{folder}: a study outside the package is declared, by sweeps, and has no {MODULE}"
        )
    return study
