"""What a trace and a course share: a file, or a synthetic one by its name and a seed."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import ConfigDict, Field, model_serializer, model_validator

from headgate.base.suggest import hint
from headgate.scenario.base import Model, also_text, at


class FileOrName(Model):
    """A file, `"lte.trace"`, or the name of a synthetic one, `"4g"`, with a seed."""

    model_config = ConfigDict(json_schema_extra=also_text)

    #: What the synthetic ones are called.
    names: ClassVar[tuple[str, ...]]

    file: str | None = Field(None, description="A file.")
    name: str | None = Field(None, description="A synthetic one, in place of a file.")
    seed: int = Field(1, ge=0, lt=2**63, description="Seed of a synthetic one.")
    repeat: bool = Field(True, description="Begin anew after the end.")

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, given: Any) -> Any:
        if not isinstance(given, str):
            return given
        return {"name": given} if given in cls.names else {"file": given}

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.file is None) == (self.name is None):
            raise at("file", "give either 'file' or 'name'")
        if self.name is not None and self.name not in self.names:
            known = f"known: {', '.join(self.names)}"
            raise at("name", f"there is no {self.name!r}; {hint(self.name, self.names, known)}")
        return self

    @model_serializer
    def _short_form(self) -> Any:
        fields = type(self).model_fields
        given = {key: getattr(self, key) for key in fields}
        changed = {key: value for key, value in given.items() if value != fields[key].default}
        return next(iter(changed.values())) if len(changed) == 1 else changed
