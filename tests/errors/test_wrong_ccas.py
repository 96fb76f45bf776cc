"""Wrong user-defined algorithms: each ends in one sentence that names file, line and remedy."""

from pathlib import Path
from typing import Any

import pytest

from headgate.base.errors import CcaError

from .command import Done, headgate
from .own_code import assert_refused, assert_refused_at, cache  # noqa: F401 - a fixture
from .test_wrong_scenarios import GOOD

CCAS = Path(__file__).parents[1] / "unit" / "ccas"
WRONG_PY = CCAS / "wrong.py"


def run(tmp_path: Path, source: str | Path) -> Done:
    path = tmp_path / "s.toml"
    path.write_text(GOOD)
    return headgate("run", path, "--cca", str(source))


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        ("Raises", "1.0 /", "ZeroDivisionError: float division by zero (Raises.on_ack at 0.0"),
        ("RaisesAtStart", "raise", "KeyError: 'gain' (RaisesAtStart.on_start at "),
        ("Nan", "", "on_ack at 0.0"),
        ("Nan", "", "cwnd became NaN; it must be from 1 to 1e7 segments"),
        ("Huge", "", "it must be from 1 to 1e7 segments"),
        ("Small", "", "ssthresh became 0.5; it must be at least 1 segment"),
        (
            "SetsNothing",
            "",
            "ssthresh is inf after on_congestion, which must set it to at most 1e7 segments",
        ),
        ("NoCongestion", "", "has no on_congestion(self, event, path, window)"),
        ("Arity", "on_ack", "on_ack must take what it is called with: on_ack(ack, path, window)"),
        (
            "Misspelt",
            "",
            "nothing calls on_congestoin; do you mean on_congestion? known: on_start",
        ),
        ("Unread", "", "nothing reads wants_rates; do you mean wants_rate? known: per"),
        (
            "Former",
            "",
            "nothing reads keeps_window; its name is now controls_cwnd_in_recovery",
        ),
        ("Per", "", "per = 'rtt' is not allowed; it must be 'ack' or 'round'"),
        ("Needs", "", "missing 1 required positional argument: 'gain'"),
        ("Nowhere", "", "has no class 'Nowhere'; its algorithms: Sound, Raises"),
        ("", "", "has several algorithms (Sound, Raises"),
    ],
)
def test_python_classes(name: str, line: str, says: str, tmp_path: Path) -> None:
    done = run(tmp_path, f"{WRONG_PY}:{name}" if name else WRONG_PY)
    assert "wrong.py" in done.sentence
    assert_refused_at(done, says, WRONG_PY, line, name)


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        ("JitRaises", "1.0 /", "ZeroDivisionError: float division by zero (JitRaises.on_ack at 0"),
        ("JitCounts", "raise", "ValueError: 5.0 (JitCounts.on_ack at 0"),
        ("JitKeepsWords", "", "self.mode is 'fast'; a compiled algorithm keeps numbers"),
        ("JitField", "ack.segments", "ack has no 'segments'; it has now_s, acked"),
        ("JitNewState", "self.last", "self.last is not a number that the class or __init__ sets"),
        ("JitTypes", '"one"', "numba cannot compile on_ack: No implementation"),
    ],
)
def test_compiled_classes(name: str, line: str, says: str, tmp_path: Path) -> None:
    pytest.importorskip("numba")
    done = run(tmp_path, f"{WRONG_PY}:{name}")
    assert_refused_at(done, says, WRONG_PY, line, name)


def test_numba_is_asked_for_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "headgate.plugin.numba_class._tables", {}
    )  # another test may have compiled it
    monkeypatch.setitem(__import__("sys").modules, "numba", None)
    done = run(tmp_path, CCAS / "compiled.py:Reno")
    assert done.sentence.endswith("Reno: @jit needs numba; pip install 'headgate[jit]'")


C_CCA = """
#include <headgate.h>
static int32_t on_ack(void *s, const headgate_ack *a, const headgate_path *p, headgate_window *w) {
    (void)s, (void)a, (void)p, (void)w;
    return %(status)s;
}
static int32_t on_loss(void *s, const headgate_congestion *e, const headgate_path *p,
                       headgate_window *w) {
    (void)s, (void)e, (void)p, (void)w;
    return 0;
}
const headgate_cca_v1 cca = {.version = %(version)s, .size = %(size)s, .flags = %(flags)s,
                             .on_ack = %(on_ack)s, .on_congestion = on_loss};
"""
GOOD_CCA = {
    "status": "0",
    "version": "1",
    "size": "sizeof(headgate_cca_v1)",
    "flags": "0",
    "on_ack": "on_ack",
}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"status": "7"}, "it returned 7"),
        ({"version": "2"}, "it has version 2 of headgate_cca; this Headgate reads 1"),
        ({"size": "8"}, "its table has 8 bytes; headgate_cca_v1 has"),
        ({"flags": "64"}, "its flags are 0x40; headgate.h knows 0x1f"),
        ({"on_ack": "0"}, "it has no on_ack"),
        ({"on_ack": "nobody"}, "cannot be compiled: "),
    ],
)
def test_c_files(change: dict[str, str], says: str, tmp_path: Path) -> None:
    (tmp_path / "mine.c").write_text(C_CCA % (GOOD_CCA | change))
    done = run(tmp_path, tmp_path / "mine.c")
    assert_refused(done, says, "mine.c")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("none.py", None, "there is no such file"),
        ("mine.txt", "", "a file that ends in one of .py, .c, .rs, .so"),
        ("mine.py", "x = ", "mine.py, line 1: SyntaxError"),
        (
            "mine.py",
            "import nowhere\nclass A:\n def on_ack(self): 0",
            "mine.py, line 1: ModuleNotFoundError",
        ),
        (
            "mine.py",
            "from headgate.law import Ack\nclass A:\n def on_ack(self): 0",
            "headgate.law is now headgate.plugin, where MARK is called ECN_MARK",
        ),
        ("mine.py", "class A: pass", "has no class with on_ack and on_congestion"),
        ("mine.so", "not a library", "cannot be loaded"),
        (
            "mine.c",
            "#include <headgate.h>\nconst headgate_cca_v1 mine = {HEADGATE_LAW_V1};",
            "HEADGATE_LAW_V1 is now HEADGATE_CCA_V1",
        ),
        (
            "mine.c",
            "#include <headgate.h>\nconst headgate_law_v1 mine = {HEADGATE_LAW_V1};",
            "headgate_law_v1 is now headgate_cca_v1",
        ),
        ("mine.c", "int x;", "exports no algorithm called 'cca'"),
        ("mine.rs", "fn f() -> u8 { 1.0 }", "mismatched types"),
    ],
)
def test_files(name: str, text: str | None, says: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    done = run(tmp_path, tmp_path / name)
    assert_refused(done, says)


def test_a_compiler_ignores_the_job_server_of_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its warning that the server is closed would replace the error."""
    monkeypatch.setenv("MAKEFLAGS", "-j2 --jobserver-auth=97,98")
    (tmp_path / "mine.rs").write_text("fn g() -> u8 { 1.0 }")
    assert_refused(run(tmp_path, tmp_path / "mine.rs"), "mismatched types")


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    (tmp_path / "mine.c").write_text("int x;")
    done = run(tmp_path, tmp_path / "mine.c")
    assert "no-such-compiler cannot be started" in done.sentence


def test_traffic_that_is_not_there(tmp_path: Path) -> None:
    done = run(tmp_path, f"7={CCAS / 'reno.py'}:Reno")
    assert done.sentence.startswith("headgate: --cca 7=")
    assert "there is no traffic '7'" in done.sentence


def test_a_former_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(GOOD.replace('cca = "reno"', 'law = "reno"', 1))
    assert headgate("check", path).sentence == "headgate: traffic[0].law: this key is now 'cca'"


@pytest.mark.parametrize("option", ["--law", "--control"])
def test_former_options_are_refused(tmp_path: Path, option: str) -> None:
    assert headgate("run", tmp_path, option, "reno").sentence == f"headgate: {option} is now --cca"


# headgate check -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        ("Raises", "1.0 /", "ZeroDivisionError: float division by zero (Raises.on_ack, event "),
        ("Nan", "float(", "cwnd became nan; it must be from 1 to 1e+07 segments (Nan.on_ack"),
        ("Small", "0.5", "ssthresh became 0.5; it must be at least 1 segment"),
        ("SetsNothing", "", "ssthresh is inf after on_congestion, which must set it"),
        ("Rewinds", "ack.now_s", "AttributeError: attribute 'now_s'"),
        (
            "KeepsALock",
            "",
            "KeepsALock: self.lock is a lock; an attribute must be a number, a string",
        ),
        ("Exits", "", "Exits: ended the process with 0 in Exits.on_ack, event 2 of flow 0"),
    ],
)
def test_check_of_python_classes(name: str, line: str, says: str) -> None:
    done = headgate("check", f"{WRONG_PY}:{name}")
    assert_refused_at(done, says, WRONG_PY, line, name)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("*(volatile int *)0 = 1;", "crashed (SIGSEGV) in on_ack, event 2 of flow 0"),
        ("exit(3);", "ended the process with 3 in on_ack, event 2 of flow 0"),
        ("((headgate_ack *)a)->now_s -= 1;", "time does not go back: records are to be read"),
        ("w->cwnd = NAN;", "cwnd became nan; it must be from 1 to 1e+07 segments (on_ack"),
        ("return 7;", "it returned 7 (on_ack, event 2 of flow 0)"),
    ],
)
def test_check_of_c_files(body: str, says: str, tmp_path: Path) -> None:
    text = C_CCA % GOOD_CCA
    text = text.replace(
        "(void)w;\n    return 0;\n}\nstatic", f"(void)w; {body} return 0; }} static"
    )
    text = text.replace("return 0;\n}\nconst", "w->ssthresh = 2; return 0; } const")
    (tmp_path / "mine.c").write_text("#include <math.h>\n#include <stdlib.h>\n" + text)
    done = headgate("check", tmp_path / "mine.c")
    assert_refused(done, says, "mine.c")


def test_code_that_would_crash_is_not_run_in_this_process(tmp_path: Path) -> None:
    text = (C_CCA % GOOD_CCA).replace("return 0;", "*(volatile int *)0 = 1; return 0;", 1)
    (tmp_path / "mine.c").write_text(text)
    assert "crashed (SIGSEGV) in on_ack" in run(tmp_path, tmp_path / "mine.c").sentence


def test_compiled_with_another_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    from headgate.plugin import proof
    from headgate.plugin.code_files import name_by_hand
    from headgate.plugin.drivers import Outcomes
    from headgate.plugin.load import load
    from headgate.plugin.proof import check

    drive = proof.drive

    def shifted(*given: Any, compiled: bool) -> Outcomes:
        shift = 1e-9 if compiled else 0.0
        return [(cwnd + shift,) for (cwnd,) in drive(*given, compiled=compiled)]

    monkeypatch.setattr("headgate.plugin.proof.drive", shifted)
    says = r"compiled, the result is cwnd .*; in Python it is cwnd"
    source = f"{CCAS / 'compiled.py'}:Reno"
    name_by_hand(source)
    with pytest.raises(CcaError, match=says):
        check(load(source), {}, proof.TrialSize(2, 50))


@pytest.mark.parametrize(
    ("source", "ways"),
    [
        ("reno.py:Reno", "interpreted"),
        ("reno.py:RenoByRounds", "interpreted"),
        ("compiled.py:CompiledCounts", "interpreted and compiled"),
        ("reno.c:reno", "compiled"),
        ("reno.rs:reno", "compiled"),
    ],
)
def test_check_of_a_right_cca(source: str, ways: str) -> None:
    if source.startswith("compiled"):
        pytest.importorskip("numba")
    done = headgate("check", CCAS / source)
    assert done.exit_code == 0
    assert f"is valid: 20 flows of 1000 random events, {ways}; cwnd from " in done.output
