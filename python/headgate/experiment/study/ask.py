"""What a shipped study runs: at which scale, and with what the user brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from headgate.base.errors import HeadgateError
from headgate.experiment.runner import StudyRun
from headgate.experiment.settings import change_settings
from headgate.experiment.study.study import load
from headgate.plugin.code_files import name_by_hand
from headgate.scenario.toml import parse_setting


@dataclass(frozen=True)
class Overrides:
    """What the user brings: laws that are compared with the others, settings as texts, a design.

    The design is a design file, whose factors and levels take the place of the study's own.
    """

    laws: Sequence[str] = ()
    settings: Sequence[str] = ()
    design: str = ""


NOTHING = Overrides()


def ask(  # noqa: PLR0913 - what a study can be given
    name: str,
    scale: str,
    out: Path | None = None,
    own: Overrides = NOTHING,
    results: Path | None = None,
    *,
    trust: bool = False,
) -> StudyRun:
    """Say what a study runs at a scale, without running it; `results` has and gets finished runs.

    With `trust` the user allows the code that the study's file names. Raises HeadgateError.
    """
    name_by_hand([*own.laws, *(parse_setting(text)[1] for text in own.settings)])
    study = load(name)
    if results and own != NOTHING:
        raise HeadgateError(
            f"--results {results}: keeps what the study itself finds; leave it out beside"
            " --control, --set and --design"
        )
    setup = study.setup(study.scale(scale), own.laws, own.design)
    setup = replace(setup, settings=change_settings(setup.settings, own.settings))
    study.require_code(setup, trust=trust)
    return StudyRun(study, setup, out or Path("out") / study.name, scale, own.settings, results)
