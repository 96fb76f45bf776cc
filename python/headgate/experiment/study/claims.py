"""Claims of studies: how a value is had, and what several claims share.

A value is SQL over the study's tables, or a function of its Python with arguments:

    value = "SELECT max(loss_rate) FROM delay"
    value = { function = "least", part = "delay", low = 10 }

Texts that several claims have stand once in `[shared]`: `$name` in a text is that of the name, or
the argument of the claim's function that is called so. All keys that claims of a kind have stand in
`[kinds.NAME]`; a claim with `kind = "NAME"` says what is its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any, Literal

from pydantic import AliasPath, BaseModel, ConfigDict, Field, field_validator

from headgate.base.errors import HeadgateError
from headgate.base.strict import Strict, fit_model
from headgate.claims.claim import Claim
from headgate.experiment import toml_extends

CLAIMS = "claims.toml"
Interval = Literal["", "seeds"]
#: What is no text of a claim, though it is written as one.
_NO_TEXTS = ("id", "value")


class Call(BaseModel):
    """A function of the study's Python; all other keys are its arguments."""

    model_config = ConfigDict(extra="allow", frozen=True)

    function: str

    @property
    def arguments(self) -> dict[str, Any]:
        """What it is called with, beside the runs."""
        return dict(self.model_extra or {})


class StudyClaim(Claim):
    """A claim of a study: how its value is had stands with it."""

    call: Call | None = Field(None, validation_alias=AliasPath("value"))
    """The function that gives the value, where it is not SQL."""
    over: Literal["replicates", "all", "largest", "least"] = "replicates"
    """What SQL gives: a number a replicate, or of all, or names and values, one of which counts."""
    digits: int = Field(3, ge=1)
    """Digits of the values in the note, of these names and values."""
    interval: Interval = ""
    """`seeds`: the interval of the jackknife, which leaves each replicate out in turn."""

    @field_validator("value", mode="before")
    @classmethod
    def _asked(cls, given: Any) -> Any:
        return "" if isinstance(given, Mapping) else given

    @field_validator("call", mode="before")
    @classmethod
    def _called(cls, given: Any) -> Any:
        return given if isinstance(given, Mapping) else None

    def basis(self) -> str:
        """Return what decides the number: other findings follow from another."""
        own = {"call", "over", "digits", "interval"}
        found = self.model_dump_json(include=own, exclude_defaults=True)
        return super().basis() + ("" if found == "{}" else found)


class ClaimsFile(Strict):
    """`claims.toml` as a value."""

    shared: dict[str, str] = Field({})
    """Texts by name."""
    kinds: dict[str, dict[str, Any]] = Field({})
    """What claims of a kind have, by its name."""
    interval: Interval = ""
    """That of every claim which does not say its own."""
    claim: list[dict[str, Any]]

    def make(self, row: Mapping[str, Any], where: str) -> StudyClaim:
        """Make one claim of its entry. Raises HeadgateError."""
        place = f"{where}: {row.get('id', 'a claim without id')}"
        whole = self._add_kind(row, place)
        value = whole.get("value")
        texts = self.shared | (_words(value) if isinstance(value, Mapping) else {})
        filled = {key: _fill(key, given, texts, place) for key, given in whole.items()}
        return fit_model(StudyClaim, {"interval": self.interval, **filled}, place)

    def _add_kind(self, row: Mapping[str, Any], place: str) -> dict[str, Any]:
        """Lay a claim over what its kind has."""
        own = {key: given for key, given in row.items() if key != "kind"}
        kind = row.get("kind")
        if kind is None:
            return own
        if not isinstance(kind, str) or kind not in self.kinds:
            known = ", ".join(self.kinds) or "none"
            raise HeadgateError(f"{place}.kind: there is no kind {kind!r}; the kinds are {known}")
        return toml_extends.merge(self.kinds[kind], own, place)


def _words(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(argument) for name, argument in arguments.items()}


def _fill(key: str, given: Any, texts: Mapping[str, str], place: str) -> Any:
    """Put texts in the place of their names."""
    if key in _NO_TEXTS or not isinstance(given, str):
        return given
    try:
        return Template(given).substitute(texts)
    except KeyError as name:
        known = ", ".join(texts) or "none"
        raise HeadgateError(
            f"{place}.{key}: there is no shared text {name}; shared are {known}"
        ) from None
    except ValueError:
        raise HeadgateError(f"{place}.{key}: write $$ where a $ is meant") from None


def read_claims(path: Path) -> list[StudyClaim]:
    """Read a study's `claims.toml`; a wrong entry is one sentence with its place."""
    file = fit_model(ClaimsFile, toml_extends.read(path), path.name)
    claims = [file.make(row, path.name) for row in file.claim]
    if len({claim.id for claim in claims}) < len(claims):
        raise HeadgateError(f"{path.name}: two claims have the same id")
    return claims
