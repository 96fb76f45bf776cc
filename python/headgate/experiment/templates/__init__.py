"""Files to start from: scenarios with comments, an algorithm and an experiment, which all run."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from headgate.base.errors import HeadgateError, StoreError
from headgate.base.files import write_bytes
from headgate.base.messages import hint

if TYPE_CHECKING:
    from headgate.scenario.group import Group

FOLDER = Path(__file__).parent
#: The values of `headgate init --from`; the first is the default.
KINDS = ("dumbbell", "web", "abilene", "own-cca", "experiment")
#: Placeholders in a template: its file, the folder of its results, and the file of its algorithm.
_FILE, _OUT, _CCA = "FILE", "OUT", "own_cca.py"
#: A command in the comments of a template.
_COMMANDS = re.compile(r"^#   (headgate .*?) {2,}(\S.*)$", re.MULTILINE)

_BASE = """\
# The base: every run is this scenario with the levels of its condition. It may be a file instead:
#   scenario = "first.toml"
[scenario]
duration = "30 s"

[scenario.network]
kind = "dumbbell"
rate = "20 Mbit/s"
rtt = "40 ms"
buffer = "1 BDP"

[[scenario.traffic]]
kind = "flows"
cca = "cubic"
count = 2

# Files that arrive at random, so that replicates differ and flows do not stay in step.
[[scenario.traffic]]
kind = "poisson"
cca = "cubic"
load = 0.05
size = "10 packets"

[scenario.measure]
warmup = "5 s"
series = "none"
"""

_TEXT = """\
# An experiment: every combination of the levels below, each run with several seeds.
#   headgate experiment check {name}            is it right, and how many runs does it need?
#   headgate experiment run {name} --dry-run    how long will it take?
#   headgate experiment run {name}              runs, means with intervals, effects, report
title = "{title}"
question = "How do buffer, round trip and algorithm change goodput and queue?"
{scenario}
# The number of runs of each condition. Replicate k uses the same seed under every condition, so
# that conditions are compared with the same random traffic.
replicates = 3

# The numbers measured of each run: named figures, or columns of its tables reduced to one number
# (`headgate describe` explains the columns). Others are SQL over the tables, or a function:
#   {{ name = "worst_rtt_s", sql = "SELECT max(mean_rtt_s) FROM flows", unit = "s" }}
#   {{ name = "mine", function = "./mine.py:mine", unit = "s", better = "lower" }}
responses = ["goodput_bps", "mean_queue_packets", "avg(flows.mean_rtt_s)"]

# Tables that are also kept of each run: from flows, `headgate plot out/{title}` draws throughput
# against delay, with an ellipse for each algorithm.
tables = ["flows"]

# A SQL condition on the names of factors removes combinations. Quantities are also numbers, such as
# rtt_s and buffer_bdp.
#   where = "NOT (buffer_bdp < 1 AND rtt_s > 0.05)"

# Other designs than the grid of all levels: kind = "two-level" with runs, generators or design;
# "plackett-burman", "orthogonal-array"; or runs = N points of a "latin-hypercube", a "sobol"
# sequence or "random" ones.
#   kind = "grid"

# Any key of the scenario, by its path in quotes; `cca` is the algorithm of all traffic, from the
# catalogue or user-defined ("./mine.py:Mine", "./mine.c").
[factors]
"network.buffer" = ["0.5 BDP", "1 BDP", "2 BDP"]
"network.rtt" = ["20 ms", "80 ms"]
cca = ["reno", "cubic", "bbr3"]

# A statement that the runs judge; write its tolerance before the runs.
# [[claims]]
# id = "cubic-fills-the-link"
# statement = "CUBIC uses 90 % of the link with any of these buffers"
# value = "min(goodput_bps) / 20e6"
# where = "cca = 'cubic'"
# tolerance = ">= 0.9"
"""


def write(kind: str, file: Path | None = None) -> list[Path]:
    """Write a template, as KIND.toml or the given file; return its files, the TOML first.

    Raises HeadgateError for another kind, or if a file exists or cannot be written.
    """
    if kind not in KINDS:
        says = hint(kind, KINDS, f"templates: {', '.join(KINDS)}")
        raise HeadgateError(f"--from {kind}: there is no template {kind!r}; {says}")
    path = file or Path(f"{kind}.toml")
    if path.suffix != ".toml":
        beside = "; its algorithm is written beside it" if kind == "own-cca" else ""
        toml = path.with_suffix(".toml")
        raise HeadgateError(f"{path}: a scenario is TOML; write {toml}{beside}")
    if kind == "experiment":
        write_experiment(path)
        return [path]
    content = (FOLDER / f"{kind}.toml").read_text(encoding="utf-8")
    text = _align(content.replace(_FILE, path.name).replace(_OUT, f"out/{path.stem}"))
    if kind != "own-cca":
        return _write_all({path: text})
    cca = path.with_name(f"{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}.py")
    code = (FOLDER / _CCA).read_text(encoding="utf-8")
    return _write_all({path: text.replace(_CCA, cca.name), cca: code})


#: Texts for streams of media, in place of those for flows.
_DELAY = '"max(media.packet_delay_p95_s)"'
_CCA_FACTOR = 'cca = ["reno", "cubic", "bbr3"]'
_CONTROLLER_FACTOR = '"traffic.0.rate_controller" = ["gcc", "scream"]'


def write_experiment(file: Path, scenario: Path | None = None) -> None:
    """Write an experiment with a given scenario, or with a small one. Raises HeadgateError."""
    if not scenario:
        text = _TEXT.format(name=file, title=file.stem, scenario="")
        _write_all({file: f"{text}\n{_BASE}"})
        return
    from headgate.engine.api import Scenario

    _refuse_present(file)
    traffic = Scenario.load(scenario).traffic
    place = os.path.relpath(scenario.absolute(), file.absolute().parent)
    base = f'scenario = "{Path(place).as_posix()}"\n'
    _write_all({file: _fit(_TEXT.format(name=file, title=file.stem, scenario=base), traffic)})


def _fit(text: str, traffic: Sequence[Group]) -> str:
    """Measure the streams of a scenario; without flows, leave out what needs them."""
    if not any(item.has_streams for item in traffic):
        return text
    if all(item.has_streams for item in traffic):
        text = text.replace('"goodput_bps", ', "").replace('"avg(flows.mean_rtt_s)"', _DELAY)
        text = text.replace('tables = ["flows"]', 'tables = ["media"]')
        text = text.replace(_CCA_FACTOR, _CONTROLLER_FACTOR)
    return text.replace("responses = [", 'responses = ["avg(media.received_bps)", ')


def write_like(name: str, file: Path, base: str = "", scenario: Path | None = None) -> None:
    """Write an experiment by the template of an installed package. Raises HeadgateError."""
    from headgate.experiment.extensions import TEMPLATES, TemplateRequest, load_registered

    if base and scenario:
        raise HeadgateError(f"--base {base} and --scenario {scenario}: give one of them")
    if file.suffix != ".toml":
        raise HeadgateError(f"{file}: an experiment is TOML; write {file.with_suffix('.toml')}")
    _refuse_present(file)
    template = load_registered(TEMPLATES, name, f"--like {name}")
    text = template(TemplateRequest(file, file.stem, base, scenario))
    _write_all({file: _align(text)})


def _align(text: str) -> str:
    """Align the explanations of commands, for any length of the file's name."""
    width = max((len(found[1]) for found in _COMMANDS.finditer(text)), default=0)
    return _COMMANDS.sub(lambda found: f"#   {found[1]:<{width}}   {found[2]}", text)


def _write_all(texts: dict[Path, str]) -> list[Path]:
    for path in texts:
        _refuse_present(path)
    for path, text in texts.items():
        write_bytes(path, text.encode())
    return list(texts)


def _refuse_present(path: Path) -> None:
    if path.exists():
        raise StoreError(f"{path}: already exists; choose another name")
