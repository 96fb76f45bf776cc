"""The identity of a class that Python code passed: another behaviour is another identity."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import Experiment, Scenario, dumbbell
from headgate.base.errors import CcaError, HeadgateError, ScenarioError, StoreError
from headgate.plugin import DROP
from headgate.plugin.content import hash_class
from headgate.plugin.user_code import DISCIPLINE, identify, register_class

TEXT = """
SHRINK = 1.0

def scale(value):
    return value * SHRINK

class Mine:
    beta = 0.5
    def on_ack(self, ack, path, window):
        left = window.slow_start(ack.acked)
        if ack.cwnd_limited:
            window.cwnd += left / window.cwnd

    def on_congestion(self, event, path, window):
        window.ssthresh = max(scale(event.in_flight) * self.beta, 2.0)
"""


def scenario(*flows: object, **more: Any) -> Scenario:
    return dumbbell(rate="20 Mbit/s", rtt="40 ms", flows=[*flows, "reno"], duration="3 s", **more)


def made(beta: float) -> type:
    class Mine:
        def on_ack(self, ack: Any, path: object, window: Any) -> None:
            left = window.slow_start(ack.acked)
            window.cwnd += left / window.cwnd

        def on_congestion(self, event: Any, path: object, window: Any) -> None:
            window.ssthresh = max(event.in_flight * beta, 2.0)

    return Mine


def limit(packets: int) -> type:
    class Limit:
        def on_arrival(self, packet: object, port: Any, decision: Any) -> None:
            if port.packets >= packets:
                decision.verdict = DROP

    return Limit


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of the user with the algorithm, imported as Python does."""
    name = f"mine_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    importlib.invalidate_caches()
    yield importlib.import_module(name)
    del sys.modules[name]


def file_of(module: Any) -> Path:
    return Path(module.__file__)


def test_two_classes_of_one_name_keep_their_behaviour() -> None:
    gentle, rough = scenario(made(0.9)), scenario(made(0.3))
    digests = gentle.run().digest, rough.run().digest
    assert digests[0] != digests[1]
    assert (gentle.run().digest, rough.run().digest) == digests
    both = scenario(made(0.9), made(0.3)).run().flows["goodput_bps"]
    assert both[0] > 1.2 * both[1]


def test_two_disciplines_of_one_name_keep_their_behaviour() -> None:
    short, long = (scenario("reno", queue=limit(packets)) for packets in (5, 50))
    waits = [one.run().ports["mean_wait_s"][0] for one in (short, long, short)]
    assert waits[0] == waits[2] < waits[1]


def test_the_run_of_another_class_of_the_name_is_not_reused(tmp_path: Path) -> None:
    scenario(made(0.9)).run(out=tmp_path / "run")
    assert scenario(made(0.9)).run(out=tmp_path / "run").digest == scenario(made(0.9)).run().digest
    with pytest.raises(StoreError, match="the run of another scenario"):
        scenario(made(0.3)).run(out=tmp_path / "run")


def test_an_equal_class_has_the_same_name() -> None:
    assert register_class(made(0.5)) == register_class(made(0.5))


def test_a_notebook_cell_with_another_attribute_is_another_algorithm() -> None:
    cell = TEXT + "scenario = dumbbell(rate='20 Mbit/s', rtt='40 ms', flows=[Mine, 'reno'])\n"
    scope: dict[str, Any] = {"__name__": "a cell without a file", "dumbbell": dumbbell}
    exec(cell, scope)
    first = scope["scenario"]
    exec(cell.replace("beta = 0.5", "beta = 0.9"), scope)
    assert first.run("5 s").digest != scope["scenario"].run("5 s").digest
    assert first.identity() != scope["scenario"].identity()


def test_an_unchanged_class_has_the_identity_of_its_file(mine: Any) -> None:
    assert scenario(mine.Mine).identity() == scenario(f"{file_of(mine)}:Mine").identity()
    assert scenario(mine.Mine).run().digest


def double(mine: Any) -> None:
    mine.Mine.beta = 0.9


def rebind(mine: Any) -> None:
    mine.SHRINK = 0.3


def replace(mine: Any) -> None:
    mine.scale = lambda value: 0.7 * value


def new_method(mine: Any) -> None:
    mine.Mine.on_congestion = made(0.7).on_congestion  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", [double, rebind, replace, new_method])
def test_a_change_at_run_time_is_another_identity(
    change: Callable[[Any], None], mine: Any, tmp_path: Path
) -> None:
    before = scenario(mine.Mine).run(out=tmp_path / "run")
    change(mine)
    with pytest.raises(StoreError, match="the run of another scenario"):
        scenario(mine.Mine).run(out=tmp_path / "run")
    assert scenario(mine.Mine).run().digest != before.digest


@pytest.mark.parametrize("change", [double, rebind, replace])
def test_workers_are_not_given_a_changed_class(
    change: Callable[[Any], None], mine: Any, tmp_path: Path
) -> None:
    change(mine)
    factors = {"traffic.0.cca": [mine.Mine, "cubic"]}
    experiment = Experiment(scenario("reno"), factors=factors, responses=["goodput_bps"])
    with pytest.raises(CcaError, match=r"cannot import this class .it is not as its file defines"):
        experiment.run(tmp_path / "out")


@pytest.mark.parametrize("cls", [made(0.5), type("Inner", (), {"__qualname__": "Outer.Inner"})])
def test_a_class_within_another_is_no_level(cls: type) -> None:
    with pytest.raises(HeadgateError, match="cannot import a class within a function or a class"):
        Experiment(scenario("reno"), factors={"cca": [cls]}, responses=["goodput_bps"])


def test_an_edit_since_import_is_an_error(mine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file_of(mine).parent)
    scenario(mine.Mine).run()
    file_of(mine).write_text(TEXT.replace("2.0", "4.0"))
    with pytest.raises(ScenarioError, match=r"edited since Python imported it; restart Python"):
        scenario(mine.Mine).run()
    assert scenario(f"./{file_of(mine).name}:Mine").run().digest


def test_an_edit_of_an_attribute_is_another_identity(mine: Any) -> None:
    file_of(mine).write_text(TEXT.replace("beta = 0.5", "beta = 0.9"))
    assert scenario(mine.Mine).identity() != scenario(f"{file_of(mine)}:Mine").identity()


def test_a_comment_changes_the_file_and_not_the_class(mine: Any) -> None:
    file_of(mine).write_text(TEXT + "# a comment\n")
    assert scenario(mine.Mine).identity() == scenario(f"{file_of(mine)}:Mine").identity()


VALUES = [
    ("1", "2"), ("1", "1.0"), ("'a'", "'b'"), ("[1]", "[2]"), ("[1]", "(1,)"), ("{1: 2}", "{1: 3}"),
    ("{'a', 'b', 'c'}", "{'a', 'b'}"), ("np.ones(3)", "np.zeros(3)"),
    ("lambda s: 1", "lambda s: 2"),
    ("property(lambda s: 1)", "property(lambda s: 2)"), ("Fraction(1, 2)", "Fraction(1, 3)"),
    ("partial(max, 1)", "partial(max, 2)"), ("staticmethod(lambda: 1)", "staticmethod(lambda: 2)"),
    ("cached_property(lambda s: 1)", "cached_property(lambda s: 2)"), ("math.sin", "math.cos"),
    ("np.float64(1)", "np.float64(2)"), ("lru_cache(lambda s: 1)", "lru_cache(lambda s: 2)"),
    ("lambda s, a=1: a", "lambda s, a=2: a"), ("lambda s, *, a=1: a", "lambda s, *, a=2: a"),
    ("lambda s: (lambda: 1)", "lambda s: (lambda: 2)"), ("Random(1)", "Random(2)"),
    ("lambda s: s.a", "lambda s: s.b"), ("Path('a')", "Path('b')"),
]  # fmt: skip
IMPORTS = """
import math
import numpy as np
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from pathlib import Path
from random import Random
from headgate.plugin.content import hash_class
"""


def hash_of(value: str) -> str:
    scope: dict[str, Any] = {"__name__": "nowhere"}
    exec(f"{IMPORTS}class Some:\n    value = {value}\n", scope)
    return hash_class(scope["Some"])


@pytest.mark.parametrize(("one", "other"), VALUES)
def test_every_kind_of_attribute_counts(one: str, other: str) -> None:
    assert hash_of(one) == hash_of(one) != hash_of(other)


def test_the_content_is_equal_in_every_process() -> None:
    lines = [f"class Some:\n    value = {one}\nprint(hash_class(Some))\n" for one, _ in VALUES]
    program = f"{IMPORTS}__name__ = 'nowhere'\n{''.join(lines)}"
    done = subprocess.run([sys.executable, "-c", program], stdout=-1, text=True, check=True)
    assert done.stdout.split() == [hash_of(one) for one, _ in VALUES]


def test_a_value_that_cannot_be_compared_is_named() -> None:
    class Limit(limit(3)):  # type: ignore[misc]
        file = (n for n in np.arange(3))

    with pytest.raises(CcaError, match=r"Limit.file is a generator, so that two versions"):
        scenario("reno", queue=Limit)


def test_a_class_that_refers_to_itself_has_content() -> None:
    class Again(limit(3)):  # type: ignore[misc]
        def on_arrival(self, *all_: Any) -> None:
            super().on_arrival(*all_)
            assert Again.others is not None

    Again.others = [Again]  # type: ignore[attr-defined]
    Again.others.append(Again.others)  # type: ignore[attr-defined]
    assert identify(register_class(Again), DISCIPLINE) == identify(
        register_class(Again), DISCIPLINE
    )


def test_a_compiled_class_is_compiled_again_after_a_change(mine: Any) -> None:
    pytest.importorskip("numba")
    headgate.jit(mine.Mine)
    mine.Mine.on_congestion = made(0.5).on_congestion  # type: ignore[attr-defined]
    before = scenario(mine.Mine).run().digest
    mine.Mine.on_congestion = made(0.9).on_congestion  # type: ignore[attr-defined]
    assert scenario(mine.Mine).run().digest != before
