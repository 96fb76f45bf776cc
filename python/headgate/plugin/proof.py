"""Laws in a process of their own: what crashes, ends or hangs there is one sentence here."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from headgate.errors import LawError
from headgate.plugin.compiled import drive_compiled
from headgate.plugin.course import Course
from headgate.plugin.interpreted import drive_interpreted
from headgate.plugin.library import cache_folder
from headgate.plugin.load import load
from headgate.plugin.own_law import OwnLaw, Params
from headgate.plugin.paths import sha256
from headgate.version import __version__

#: Longer than any law needs for the few events of a proof, with what numba takes to compile it.
PATIENCE_S = 120.0
#: Begins the line in which the process tells what it found: a law may print what it likes.
_TOLD = "headgate.plugin.proof: "

_PROOF = Course(flows=3, events=1_000, strict=False)


def prove(law: OwnLaw, params: Params) -> None:
    """See once that a compiled law does not crash, before it is called here. Raises LawError."""
    from headgate import _native

    if law.source is None:
        return
    made_of = (__version__, _native.layout(), law.sha256, law.name, _words(params))
    key = sha256(*(part.encode() for part in made_of))
    proved = cache_folder() / f"{law.name}-{key[:16]}.proved"
    if proved.is_file():
        return
    child(law, params, _PROOF, compiled=True)
    proved.parent.mkdir(parents=True, exist_ok=True)
    proved.touch()


def drive(law: OwnLaw, params: Params, course: Course) -> list[float]:
    """Drive a compiled law, in a child if one can find it; give its windows. Raises LawError."""
    if law.source:
        return child(law, params, course, compiled=True)
    return drive_compiled(law, params, course)


def _words(params: Params) -> str:
    return json.dumps(dict(params), sort_keys=True)


def child(law: OwnLaw, params: Params, course: Course, *, compiled: bool) -> list[float]:
    """Have another process drive the law; give its windows. Raises LawError.

    What is compiled, or what the interpreter runs: a law may have both forms.
    """
    assert law.source is not None
    with tempfile.NamedTemporaryFile("r") as note:
        command = [sys.executable, "-m", "headgate.plugin.proof", law.source]
        how = "compiled" if compiled else "interpreted"
        words = (_words(params), json.dumps(asdict(course)), note.name, how)
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
            raise LawError(law.label, says) from None
        told = _read_answer(done.stdout)
        if done.returncode or told is None:
            raise LawError(law.label, f"{_end(done.returncode)} in {_last(note.name)}")
    if "error" in told:
        raise LawError(*told["error"])
    return [float(cwnd) for cwnd in told["cwnds"]]


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


def _main(source: str, params: str, course: str, note: str, how: str) -> None:
    drive = drive_compiled if how == "compiled" else drive_interpreted
    said: dict[str, Any]
    try:
        law = load(source)
        with Path(note).open("r+b") as file:
            cwnds = drive(law, json.loads(params), Course(**json.loads(course)), file.fileno())
        said = {"cwnds": cwnds}
    except LawError as error:
        said = {"error": [error.place, error.sentence]}
    sys.stdout.write(f"\n{_TOLD}{json.dumps(said)}\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
