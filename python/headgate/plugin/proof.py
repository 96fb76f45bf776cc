"""Tries user-defined code with random events in another process, and hands it to the engine."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from headgate.base.errors import CcaError
from headgate.base.process import python_command
from headgate.base.version import __version__
from headgate.plugin import code_files, given
from headgate.plugin.ccas import CCA
from headgate.plugin.code_files import sha256
from headgate.plugin.disciplines import DISCIPLINE
from headgate.plugin.drivers import (
    SHARED,
    Outcomes,
    TrialSize,
    drive_compiled,
    drive_interpreted,
)
from headgate.plugin.guard import describe_end
from headgate.plugin.interface import OwnCode, Params, PreparedCode
from headgate.plugin.library import cache_folder
from headgate.plugin.load import load, one_at_a_time
from headgate.plugin.python_class import register

#: Longer than the few events of a proof take, including compilation by numba.
PATIENCE_S = 120.0
#: Begins the line with the result of the process: user-defined code may print other lines.
_RESULT = "headgate.plugin.proof: "
_PROOF = TrialSize(states=3, events=1_000, strict=False)
_CHECK = TrialSize(states=20, events=1_000)


def make_ready(code: OwnCode, params: Params) -> PreparedCode:
    """Prepare an algorithm or a discipline with these parameters for runs. Raises CcaError."""
    if code.compiled is None:
        assert code.cls is not None
        return PreparedCode(code, params, register(code.interface, code.cls, code.label, params))
    with one_at_a_time:
        table = code.compiled(params)
        _prove(code, params)
    return PreparedCode(code, params, code.hand_over(table))


def _prove(code: OwnCode, params: Params) -> None:
    """Check once that compiled code does not crash, before this process calls it."""
    from headgate import _native

    if code.source is None:
        return
    words = json.dumps(dict(params), sort_keys=True)
    made_of = (__version__, _native.layout(), code.interface.table, code.sha256, code.name, words)
    key = sha256(*(part.encode() for part in made_of))
    proved = cache_folder() / f"{code.name}-{key[:16]}.proved"
    if not proved.is_file():
        _drive_in_child(code, params, _PROOF, compiled=True)
        proved.parent.mkdir(parents=True, exist_ok=True)
        proved.touch()


@dataclass(frozen=True)
class CheckReport:
    """The forms of user-defined code that were tried, how much, and the sums of the outcomes."""

    ways: tuple[str, ...]
    states: int
    events: int
    sums: Mapping[str, float]


def check(code: OwnCode, params: Params, size: TrialSize = _CHECK) -> CheckReport:
    """Drive user-defined code. Raises CcaError with file and line of the first fault."""
    forms = (("interpreted", code.cls), ("compiled", code.compiled))
    ways = tuple(way for way, form in forms if form is not None)
    outcomes = [_drive_twice(code, params, size, way) for way in ways]
    if len(ways) == 2:
        _require_equal(code, "compiled, the result is {}; in Python it is {}", *outcomes)
    return CheckReport(ways, size.states, size.events, code.interface.trial.sum_up(outcomes[0]))


def check_cca(source: str | type, params: Params | None = None) -> CheckReport:
    """Check a congestion control algorithm with random events.

    `source` is a class at the top of a file, or `"FILE:NAME"`. Its code runs. Raises CcaError at
    the first fault.
    """
    words = given.register(source) if isinstance(source, type) else source
    code_files.name_by_hand(words)
    return check(load(words), params or {})


def _drive_twice(code: OwnCode, params: Params, size: TrialSize, way: str) -> Outcomes:
    """Return the outcomes. Raises CcaError unless equal events have equal outcomes again.

    The flows or ports of the second time come in another order, so that shared state is noticed.
    """

    def drive_again(*, backwards: bool) -> Outcomes:
        return drive(code, params, replace(size, backwards=backwards), compiled=way == "compiled")

    says = "for equal events the result is {1} once and {0} again;"
    first, other = drive_again(backwards=False), drive_again(backwards=True)
    if first != other:
        again = drive_again(backwards=False)
        _require_equal(code, f"{says} it must not use chance or clocks", first, again)
        _require_equal(code, f"{says} {SHARED}", first, other)
    return first


def _require_equal(code: OwnCode, says: str, one: Outcomes, other: Outcomes) -> None:
    def write(outcome: tuple[float, ...]) -> str:
        named = zip(code.interface.trial.outcome_fields, outcome, strict=True)
        return ", ".join(f"{name} {value!r}" for name, value in named)

    for number, (before, after) in enumerate(zip(one, other, strict=False), 1):
        if before != after:
            sentence = says.format(write(after), write(before))
            raise CcaError(code.label, f"{sentence} (call {number} in all)")


def drive(code: OwnCode, params: Params, size: TrialSize, *, compiled: bool) -> Outcomes:
    """Drive the compiled or the interpreted form, in a child process if that can find the code.

    Returns the outcomes of the calls. Raises CcaError.
    """
    if code.source:
        return _drive_in_child(code, params, size, compiled=compiled)
    return (drive_compiled if compiled else drive_interpreted)(code, params, size)


def _drive_in_child(code: OwnCode, params: Params, size: TrialSize, *, compiled: bool) -> Outcomes:
    assert code.source is not None
    order = {
        "kind": code.interface.noun,
        "params": dict(params),
        "size": asdict(size),
        "compiled": compiled,
    }
    with tempfile.NamedTemporaryFile("r") as note:
        command = python_command(
            "-m", "headgate.plugin.proof", code.source, json.dumps(order), note.name
        )
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
        except subprocess.TimeoutExpired:
            says = f"did not come back within {PATIENCE_S:g} s from {_read_place(note.name)}"
            raise CcaError(code.label, says) from None
        last = (done.stdout.splitlines() or [""])[-1]
        if done.returncode or not last.startswith(_RESULT):
            says = f"{describe_end(done.returncode)} in {_read_place(note.name)}"
            raise CcaError(code.label, says)
    result = json.loads(last.removeprefix(_RESULT))
    if "error" in result:
        raise CcaError(*result["error"])
    return [tuple(outcome) for outcome in result["outcomes"]]


def _read_place(note: str) -> str:
    return Path(note).read_text().strip("\0 \n") or "the loading of its file"


def _execute(source: str, order: Mapping[str, Any], note: int) -> Outcomes:
    code_files.name_by_hand(source)  # the parent process has loaded this code
    code = load(source, next(of for of in (CCA, DISCIPLINE) if of.noun == order["kind"]))
    drive = drive_compiled if order["compiled"] else drive_interpreted
    return drive(code, order["params"], TrialSize(**order["size"]), note)


def _main(source: str, order: str, note: str) -> None:
    result: dict[str, Any]
    try:
        with Path(note).open("r+b") as file:
            result = {"outcomes": _execute(source, json.loads(order), file.fileno())}
    except CcaError as error:
        result = {"error": [error.place, error.sentence]}
    sys.stdout.write(f"\n{_RESULT}{json.dumps(result)}\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
