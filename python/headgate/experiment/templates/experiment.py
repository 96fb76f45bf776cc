"""The file that `headgate experiment new` writes: one that runs, with every key explained."""

from __future__ import annotations

import os
from pathlib import Path

from headgate.base.errors import StoreError
from headgate.base.files import write_bytes

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
law = "cubic"
count = 2

# Files that come at random, so that replicates differ and flows do not stay in step.
[[scenario.traffic]]
kind = "poisson"
law = "cubic"
load = 0.05
size = "10 packets"

[scenario.measure]
warmup = "5 s"
series = "none"
"""

_TEXT = """\
# An experiment: every combination of the levels below, each run with several seeds.
#   headgate experiment check {name}            is it right, and how many runs is it?
#   headgate experiment run {name} --dry-run    how long will it take?
#   headgate experiment run {name}              runs, means with intervals, effects, report
title = "{title}"
question = "What do buffer, round trip and law do to goodput and queue?"
{scenario}
# How often each condition is run. Replicate k has the same seed under every condition, so that
# differences between conditions are seen within the same random traffic.
replicates = 3

# What is measured of each run: figures with a name, or columns of its tables made one number
# (`headgate describe` explains the columns). Own ones are SQL over the tables, or a function:
#   {{ name = "worst_rtt_s", sql = "SELECT max(mean_rtt_s) FROM flows", unit = "s" }}
#   {{ name = "mine", function = "./mine.py:mine", unit = "s", better = "lower" }}
responses = ["goodput_bps", "mean_queue_packets", "avg(flows.mean_rtt_s)"]

# Tables that are kept of each run besides: with its flows `headgate plot out/{title}` draws
# throughput against delay, with an ellipse for each law.
tables = ["flows"]

# Combinations that make no sense are left out: SQL over the factors' names. Quantities are also
# there as numbers, such as rtt_s and buffer_bdp.
#   where = "NOT (buffer_bdp < 1 AND rtt_s > 0.05)"

# Other designs than the grid of all levels: kind = "two-level" with runs, generators or design;
# "plackett-burman", "orthogonal-array"; or runs = N points of a "latin-hypercube", a "sobol"
# sequence or "random" ones.
#   kind = "grid"

# Any key of the scenario, by its path in quotes; `law` is the law of all traffic, of the catalogue
# or your own ("./mine.py:Mine", "./mine.c").
[factors]
"network.buffer" = ["0.5 BDP", "1 BDP", "2 BDP"]
"network.rtt" = ["20 ms", "80 ms"]
law = ["reno", "cubic", "bbr3"]

# A statement that the runs are to judge; its tolerance is written before they are made.
# [[claims]]
# id = "cubic-fills-the-link"
# statement = "CUBIC uses 90 % of the link with any of these buffers"
# value = "min(goodput_bps) / 20e6"
# where = "law = 'cubic'"
# tolerance = ">= 0.9"
"""


def write(file: Path, scenario: Path | None = None) -> None:
    """Write an experiment of a scenario, or of a small one of its own. Raises HeadgateError."""
    if file.exists():
        raise StoreError(f"{file}: is there already; choose another name")
    if scenario:
        _refuse_bad_scenario(scenario)
    named = f'scenario = "{_beside(scenario, file)}"\n' if scenario else ""
    text = _TEXT.format(name=file, title=file.stem, scenario=named)
    write_bytes(file, (text if scenario else f"{text}\n{_BASE}").encode())


def _refuse_bad_scenario(file: Path) -> None:
    from headgate.engine.api import Scenario

    Scenario.load(file)


def _beside(scenario: Path, file: Path) -> str:
    return Path(os.path.relpath(scenario.absolute(), file.absolute().parent)).as_posix()
