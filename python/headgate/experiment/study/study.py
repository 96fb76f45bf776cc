"""A study: a folder with a specification (`study.toml`), claims (`claims.toml`) and an analysis.

The specification lists the algorithms to compare (`["*"]`: all that need no router support), fixed
settings, and the size of each scale; a designed study lists factors with two levels each. Either
file may extend another (`extends = "../nist/replaced.toml"`). If the sweeps of a study are
scenarios, it is declared (see `declared`); any other study has Python (see `coded`).
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from headgate.base import catalog
from headgate.base.errors import FluidWarning, HeadgateError
from headgate.base.files import list_states
from headgate.base.messages import also
from headgate.base.optional import advise
from headgate.base.strict import Strict, fit_model
from headgate.base.terminal import check_name
from headgate.claims.verdicts import Estimate
from headgate.design.factor import Factor
from headgate.design.factorial import Design, make_factorial
from headgate.design.generate import load_design
from headgate.experiment.form import ResponseTable
from headgate.experiment.packages import SPEC, find_studies
from headgate.experiment.runner import StudyRun
from headgate.experiment.runs import Analysis, Key, Runs, Setup, Source
from headgate.experiment.settings import change_settings
from headgate.experiment.study.claims import CLAIMS, StudyClaim, read_claims
from headgate.experiment.study.coded import Coded
from headgate.experiment.study.declared import Declared
from headgate.experiment.study.files import list_files, read_extended
from headgate.experiment.study.sweeps import BASE
from headgate.plugin.code_files import is_code, name_by_hand
from headgate.scenario.keys import parse_setting

if TYPE_CHECKING:
    from headgate.engine.api import Result
    from headgate.lab.jobs import Job

MODULE = "analysis.py"
EVERY_CCA = ("*",)


class StudyFactor(Strict):
    """A factor of the study: its title, its setting, its two levels, and words for them."""

    title: str
    setting: str
    low: Any
    high: Any
    words: tuple[str, str] | None = None


class Scale(Strict):
    """The size of a study: its varying factors, its replicates, and its settings."""

    factors: tuple[str, ...] = ()
    generators: dict[str, str] = Field({})
    seeds: int = Field(ge=1)
    size: float = Field(gt=0)
    fixed: dict[str, Any] = Field({})
    levels: dict[str, tuple[Any, Any]] = Field({})
    """Low and high levels of factors that differ from those of the study."""


class StudySpec(Strict):
    """`study.toml` as a value."""

    name: str
    title: str
    question: str
    ccas: tuple[str, ...]
    no_own_cca: str = ""
    """The reason why the study accepts no user-defined algorithm, if it does not."""
    first_seed: int = 1
    fixed: dict[str, Any] = Field({})
    factors: dict[str, StudyFactor] = Field({})
    sources: dict[str, Source] = Field({})
    """The sources of the values of settings, by name."""
    responses: dict[str, ResponseTable] = Field({})
    """The responses of every run of a declared study."""
    sweeps: dict[str, dict[str, Any]] = Field({})
    """The parts: each an experiment's file, or a function with levels (see `sweeps`)."""
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
        """Whether the sweeps are scenarios, so that the study needs no Python."""
        return bool(self.sweeps) and not any(BASE in sweep for sweep in self.sweeps.values())


@dataclass(frozen=True)
class Study:
    """A study: its folder, and the package that contains it."""

    folder: Path
    package: str = ""
    """The package that registers the study; empty for a folder, which cannot contain code."""

    @cached_property
    def spec(self) -> StudySpec:
        """The content of `study.toml`, checked."""
        path = self.folder / SPEC
        return fit_model(StudySpec, read_extended(path), str(path))

    @cached_property
    def claims(self) -> list[StudyClaim]:
        """The claims, checked."""
        return read_claims(self.folder / CLAIMS)

    @property
    def name(self) -> str:
        """The name in commands."""
        return self.spec.name

    @property
    def title(self) -> str:
        """The title for people."""
        return self.spec.title

    @property
    def question(self) -> str:
        """The question that the runs answer."""
        return self.spec.question

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources of the values of settings, by the names of these."""
        return self.spec.sources

    @property
    def paths(self) -> list[Path]:
        """The files of the specification and the claims, with those that they extend."""
        return [file for name in (SPEC, CLAIMS) for file in list_files(self.folder / name)]

    @property
    def files(self) -> Mapping[str, bytes]:
        """The content of these files, by name."""
        return {path.name: path.read_bytes() for path in self.paths}

    @property
    def code(self) -> Sequence[Path]:
        """The files of the study and those that they import or extend, without claims."""
        return sorted(_list_code(self.folder, _pattern_of_imports(self.package), set()))

    def inputs(self, setup: Setup, identities: Iterable[str]) -> Iterator[str]:
        """Yield the setup and the state of the study's files, and the identities if they matter.

        The runs of a package's study follow from its files, unless the user names other files.
        """
        whole = (*setup.ccas, setup.settings, *(vars(one) for one in setup.design.factors))
        yield repr((whole, setup.seeds, setup.own, setup.design.matrix.tolist()))
        yield repr(list_states(self.folder.parent if self.package else self.folder))
        if not self.package or _names_file(whole):
            yield from identities

    @property
    def ccas(self) -> tuple[str, ...]:
        """The names of the compared algorithms in the registry."""
        if self.spec.ccas == EVERY_CCA:
            apart = ("explicit", "none")
            return tuple(cca.name for cca in catalog.ccas() if cca.family not in apart)
        return self.spec.ccas

    @property
    def jobs(self) -> "Callable[[Setup], Mapping[Key, Job]]":
        """The function that makes every run of a scale, by key."""
        return self._form.jobs

    @property
    def analyse(self) -> "Callable[[Runs], Analysis]":
        """The function that turns finished runs into findings and figures."""
        return self._form.analyse

    def find(self, runs: Runs) -> dict[str, Estimate]:
        """Compute the values of claims from finished runs, without pictures and tables."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FluidWarning)
            return self._form.find_in(runs)

    @property
    def keep(self) -> "Callable[[Result], Result] | None":
        """The function that reduces a finished run before it is stored, if there is one."""
        return self._form.keep

    def has_all(self, result: "Result") -> bool:
        """Return whether a stored run contains all data of the analysis."""
        return isinstance(self._form, Coded) or self._form.has_all(result)

    def trim(self, result: "Result") -> "Result":
        """Return the whole result: only the analysis knows the data that it reads."""
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
        """The file of the analysis, which a declared study may lack."""
        return self.folder / MODULE

    def scale(self, name: str) -> Scale:
        """Return a scale by its name, or a fraction of the full size. Raises HeadgateError."""
        if name in self.spec.scales:
            return self.spec.scales[name]
        full, share = self.spec.scales["full"], 0.0
        with suppress(ValueError, ZeroDivisionError):
            share = float(Fraction(name))
        if not 0 < share <= 1:
            known = list(self.spec.scales)
            raise HeadgateError(
                f"scale {name!r} is not one of {', '.join(known)} or a fraction above 0 and up to"
                f" 1, such as '1/20'{also(name, known)}"
            )
        return full.model_copy(update={"size": full.size * share})

    def settings(self, scale: Scale) -> dict[str, Any]:
        """Return the fixed settings of a scale."""
        factors = self._factors(scale)
        held = {f.setting: f.low for name, f in factors.items() if name not in scale.factors}
        return {**held, **self.spec.fixed, **scale.fixed, "size": scale.size}

    def design(self, scale: Scale) -> Design:
        """Return the design of a scale."""
        factors = self._factors(scale)
        chosen = [Factor(name, **factors[name].model_dump()) for name in scale.factors]
        return make_factorial(chosen, scale.generators)

    def _factors(self, scale: Scale) -> dict[str, StudyFactor]:
        """Return the factors with their levels at a scale. Raises HeadgateError."""
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
        """Return the setup of a scale; `own` are user-defined algorithms, as file and name.

        The factors of a `design` file replace those of the study, which stay at their low level.
        """
        if own and self.spec.no_own_cca:
            raise HeadgateError(
                f"{self.spec.name}: takes no user-defined algorithm, as {self.spec.no_own_cca}"
            )
        seeds = tuple(range(self.spec.first_seed, self.spec.first_seed + scale.seeds))
        ccas, own_design = (*self.ccas, *own), self.design(scale)
        if design:
            own_design = self._load_design(design)
            scale = scale.model_copy(update={"factors": ()})
        return Setup(ccas, seeds, self.settings(scale), own_design, own=tuple(own))

    def require_code(self, setup: Setup, *, trust: bool = False) -> None:
        """Load the code that a study outside of packages names, if the user allowed it.

        With `trust` the user allows it now. Raises HeadgateError if some of it may not run.
        """
        if self.package or not isinstance(self._form, Declared):
            return
        for experiment in self._form.experiments(setup).values():
            if trust:
                experiment.definition.allow_code()
            experiment.definition.require_code()

    def _load_design(self, file: str) -> Design:
        """Read the design that replaces the study's own. Raises HeadgateError."""
        if not self.spec.factors:
            raise HeadgateError(f"{self.spec.name}: has no factors, so that it takes no design")
        listed = self._form.settable if isinstance(self._form, Coded) else None
        own = {*self.spec.fixed, *(factor.setting for factor in self.spec.factors.values())}
        design, known = load_design(file).design, listed or own
        for factor in design.factors:
            if factor.setting not in known:
                raise HeadgateError(
                    f"{file}: factor {factor.name}: {factor.setting!r} cannot be varied in"
                    f" {self.spec.name}; the settings are {', '.join(sorted(known))}"
                )
        return design


def _names_file(value: object) -> bool:
    """Return whether a text in nested values is the path of a file, or of code in a file."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        return any(map(_names_file, value))
    return isinstance(value, str) and (Path(value).is_file() or is_code(value))


def _pattern_of_imports(package: str) -> re.Pattern[str]:
    """Return the pattern of an import from the package, and of an extended specification."""
    imports = rf"from {re.escape(package)}\.|" if package else ""
    return re.compile(rf"(?:{imports}extends = \"\.\./)(\w+)")


def _list_code(place: Path, imported: re.Pattern[str], seen: set[Path]) -> set[Path]:
    """Collect the files of a folder of studies, or of a module, and those that they import."""
    if place in seen:
        return seen
    found = [place] if place.suffix else [*place.glob("*.py"), *place.glob("*.toml")]
    seen |= {place, *(file for file in found if not file.name.endswith(CLAIMS))}
    for file in found:
        for name in imported.findall(file.read_text(encoding="utf-8")):
            other = (place.parent if place.suffix else place).parent / name
            module = other.with_suffix(".py")
            _list_code(module if module.is_file() else other, imported, seen)
    return {file for file in seen if file.suffix}


def load(name: str) -> Study:
    """Return a study by its name, or by its folder if it is declared. Raises HeadgateError."""
    known, folder = find_studies(), Path(name)
    if name in known:
        return Study(known[name].folder, known[name].package)
    if not (folder / SPEC).is_file():
        listed = f"no package with studies is installed; {advise('studies')}"
        if known:
            listed = f"the studies are {', '.join(known)}{also(name, known)}"
        raise HeadgateError(f"{name!r} is not a study, nor a folder with a {SPEC}; {listed}")
    study = Study(folder)
    if not study.spec.declared or study.module.exists():
        raise HeadgateError(
            f"{folder}: a study outside of packages is declared, by sweeps, without {MODULE}"
        )
    return study


@dataclass(frozen=True)
class Overrides:
    """A user's changes to a study: more algorithms to compare, settings as texts, a design file."""

    ccas: Sequence[str] = ()
    settings: Sequence[str] = ()
    design: str = ""


NOTHING = Overrides()


def plan_study(  # noqa: PLR0913 - the options of a study
    name: str,
    scale: str,
    out: Path | None = None,
    own: Overrides = NOTHING,
    results: Path | None = None,
    *,
    trust: bool = False,
) -> StudyRun:
    """Return the planned runs of a study; finished runs are read from and written to `results`.

    With `trust` the user allows the code that the study's file names. Raises HeadgateError.
    """
    name_by_hand([*own.ccas, *(parse_setting(text)[1] for text in own.settings)])
    study = load(name)
    if results and own != NOTHING:
        raise HeadgateError(
            f"--results {results}: stores results of the unchanged study; leave it out with"
            " --cca, --set and --design"
        )
    setup = study.setup(study.scale(scale), own.ccas, own.design)
    setup = replace(setup, settings=change_settings(setup.settings, own.settings))
    study.require_code(setup, trust=trust)
    return StudyRun(study, setup, out or Path("out") / study.name, scale, own.settings, results)
