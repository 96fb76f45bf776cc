"""Jobs: what is to be run, and the identity of each run."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import util
from pathlib import Path

from headgate.api import Scenario
from headgate.version import __version__

ID_LENGTH = 16


@dataclass(frozen=True)
class Job:
    """One run of a study: a scenario with its seed, and the labels the analysis sorts by."""

    scenario: Scenario
    labels: Mapping[str, str | int | float] = field(default_factory=dict)

    @cached_property
    def identity(self) -> str:
        """Hash of the resolved scenario and its seed: what the engine is given."""
        return self.scenario.identity()

    @cached_property
    def id(self) -> str:
        """Hash of the resolved scenario, its seed and the program: equal id, equal result."""
        identity = f"{self.identity} {program()}"
        return hashlib.sha256(identity.encode()).hexdigest()[:ID_LENGTH]


@cache
def program() -> str:
    """Return the version and the engine's own hash, so that results of two builds never mix."""
    spec = util.find_spec("headgate._native")
    engine = Path(spec.origin).read_bytes() if spec and spec.origin else b""
    return f"{__version__}+{hashlib.sha256(engine).hexdigest()[:8]}"
