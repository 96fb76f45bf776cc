"""Own code in a process of its own: what crashes, ends or hangs there is one sentence here."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from headgate.base.errors import LawError
from headgate.base.parent import python_command
from headgate.base.version import __version__
from headgate.plugin import trust
from headgate.plugin.compiled import drive_compiled
from headgate.plugin.course import Course
from headgate.plugin.disciplines import DISCIPLINE
from headgate.plugin.driver import Outcomes
from headgate.plugin.interpreted import drive_interpreted
from headgate.plugin.laws import LAW
from headgate.plugin.library import cache_folder
from headgate.plugin.load import load
from headgate.plugin.own_code import OwnCode, Params
from headgate.plugin.paths import sha256

#: Longer than own code needs for the few events of a proof, with what numba takes to compile it.
PATIENCE_S = 120.0
#: Begins the line in which the process tells what it found: own code may print what it likes.
_TOLD = "headgate.plugin.proof: "

_PROOF = Course(states=3, events=1_000, strict=False)


def prove(code: OwnCode, params: Params) -> None:
    """See once that compiled code does not crash, before it is called here. Raises LawError."""
    from headgate import _native

    if code.source is None:
        return
    table = code.interface.table
    made_of = (__version__, _native.layout(), table, code.sha256, code.name, _words(params))
    key = sha256(*(part.encode() for part in made_of))
    proved = cache_folder() / f"{code.name}-{key[:16]}.proved"
    if proved.is_file():
        return
    child(code, params, _PROOF, compiled=True)
    proved.parent.mkdir(parents=True, exist_ok=True)
    proved.touch()


def drive(code: OwnCode, params: Params, course: Course, *, compiled: bool) -> Outcomes:
    """Drive own code, in a child if one can find it; give what its calls came to. Raises LawError.

    What is compiled, or what the interpreter runs: a class may have both forms.
    """
    if code.source:
        return child(code, params, course, compiled=compiled)
    return (drive_compiled if compiled else drive_interpreted)(code, params, course)


def _words(params: Params) -> str:
    return json.dumps(dict(params), sort_keys=True)


def child(code: OwnCode, params: Params, course: Course, *, compiled: bool) -> Outcomes:
    """Have another process drive own code; give what its calls came to. Raises LawError."""
    assert code.source is not None
    with tempfile.NamedTemporaryFile("r") as note:
        order = {
            "kind": code.interface.noun,
            "params": dict(params),
            "course": asdict(course),
            "compiled": compiled,
        }
        command = python_command("-m", "headgate.plugin.proof")
        words = (code.source, json.dumps(order), note.name)
        try:
            done = subprocess.run(
                [*command, *words],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            says = f"did not come back within {PATIENCE_S:g} s from {_last(note.name)}"
            raise LawError(code.label, says) from None
        told = _read_answer(done.stdout)
        if done.returncode or told is None:
            raise LawError(code.label, f"{_end(done.returncode)} in {_last(note.name)}")
    if "error" in told:
        raise LawError(*told["error"])
    return [tuple(outcome) for outcome in told["outcomes"]]


def _read_answer(output: str) -> dict[str, Any] | None:
    """Read the last line, if the process came as far as to write it."""
    last = (output.splitlines() or [""])[-1]
    if not last.startswith(_TOLD):
        return None
    told: dict[str, Any] = json.loads(last.removeprefix(_TOLD))
    return told


def _end(code: int) -> str:
    """Say how a process ended."""
    if code < 0:
        return f"crashed ({signal.Signals(-code).name})"
    return f"ended the process with {code}"


def _last(note: str) -> str:
    return Path(note).read_text().strip("\0 \n") or "the loading of its file"


def _obey(source: str, order: Mapping[str, Any], note: int) -> Outcomes:
    trust.name_by_hand(source)  # the process that asks has loaded this code
    code = load(source, next(of for of in (LAW, DISCIPLINE) if of.noun == order["kind"]))
    drive = drive_compiled if order["compiled"] else drive_interpreted
    return drive(code, order["params"], Course(**order["course"]), note)


def _main(source: str, order: str, note: str) -> None:
    said: dict[str, Any]
    try:
        with Path(note).open("r+b") as file:
            said = {"outcomes": _obey(source, json.loads(order), file.fileno())}
    except LawError as error:
        said = {"error": [error.place, error.sentence]}
    sys.stdout.write(f"\n{_TOLD}{json.dumps(said)}\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
