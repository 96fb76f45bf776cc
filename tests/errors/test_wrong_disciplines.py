"""Wrong queue disciplines of a user's own: each ends in one sentence with file, line and remedy."""

from pathlib import Path

import pytest

from .command import Done, headgate
from .own_code import assert_refused, assert_refused_at, cache  # noqa: F401 - a fixture
from .test_wrong_scenarios import GOOD

WRONG_PY = Path(__file__).parents[1] / "unit" / "disciplines" / "wrong.py"
CCAS = Path(__file__).parents[1] / "unit" / "ccas"


def run(tmp_path: Path, source: str | Path) -> Done:
    path = tmp_path / "s.toml"
    path.write_text(GOOD)
    return headgate("run", path, "--set", f'network.queue="{source}"')


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        ("Raises", "1.0 /", "ZeroDivisionError: float division by zero (Raises.on_arrival at 0.0"),
        ("NoVerdict", "", "on_arrival at 0.0"),
        ("NoVerdict", "", "verdict became 7; it must be KEEP (0), MARK (1) or DROP (2)"),
        ("Word", '"drop"', "TypeError: "),
        ("MarksAll", "", "it marks a packet that is not capable of ECN; look at packet.capable"),
        ("DrawsMuch", "", "it drew 5 random numbers; a decision may draw at most 4"),
        ("Ranks", "", "rank became 1; only a discipline with ranks = True may set it"),
        ("RanksByNan", "", "rank became NaN; it must be a finite number"),
        ("RanksLate", "", "rank became 2; a packet must be ranked when it arrives"),
        ("TickDrops", "", "on_tick must decide on no packet and draw no random number"),
        ("NeverTicks", "", "it has on_tick but tick_s is 0; set tick_s to the time between ticks"),
        ("TicksFast", "", "tick_s is 0.000000001; it must be 0, or from 1e-6 to 1e6 seconds"),
        ("TicksByWord", "", "tick_s = 'fast' is not allowed; it must be a number"),
        ("TicksInVain", "", "it has tick_s but no on_tick"),
        ("NoDecision", "", "has no on_arrival(self, packet, port, decision) or on_departure("),
        (
            "Arity",
            "on_arrival",
            "on_arrival must take what it is called with: on_arrival(packet, port, decision)",
        ),
        ("Misspelt", "", "nothing calls on_departures; do you mean on_departure? known:"),
        ("Unread", "", "nothing reads rankss; do you mean ranks? known: ranks, tick_s"),
        ("RankWord", "", "ranks = 'fair' is not allowed; it must be False or True"),
        ("Needs", "", "missing 1 required positional argument: 'limit_packets'"),
        ("Bounded", "", "limit_packets = 0.0 is not allowed; it must be from 1 to 1e+06 packets"),
        ("BoundsOfNothing", "", "bounds name 'limit_s', which is not an argument; arguments: none"),
        ("BoundsByWord", "", "bounds = 'none' is not allowed; write bounds = "),
        ("Nowhere", "", "has no class 'Nowhere'; its disciplines: Sound, Raises"),
        ("", "", "has several disciplines (Sound, Raises"),
    ],
)
def test_python_classes(name: str, line: str, says: str, tmp_path: Path) -> None:
    done = run(tmp_path, f"{WRONG_PY}:{name}" if name else WRONG_PY)
    assert "wrong.py" in done.sentence
    assert_refused_at(done, says, WRONG_PY, line, name)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("JitRaises", "ZeroDivisionError: float division by zero (JitRaises.on_arrival at 0"),
        ("JitField", "port has no 'length'; it has now_s, packets"),
        ("JitKeepsWords", "self.mode is 'fast'; a compiled discipline keeps numbers"),
    ],
)
def test_compiled_classes(name: str, says: str, tmp_path: Path) -> None:
    pytest.importorskip("numba")
    done = run(tmp_path, f"{WRONG_PY}:{name}")
    assert_refused(done, says)


C_QUEUE = """
#include <headgate.h>
#include <stdlib.h>
static int32_t on_arrival(void *s, const headgate_packet *p, const headgate_backlog *b,
                          headgate_decision *d) {
    (void)s, (void)p, (void)b, (void)d;
    %(body)s;
    return %(status)s;
}
const headgate_queue_v1 queue = {.version = %(version)s, .size = %(size)s, .flags = %(flags)s,
                                 .tick_s = %(tick_s)s, .on_arrival = %(on_arrival)s};
"""
GOOD_QUEUE = {
    "body": "",
    "status": "0",
    "version": "HEADGATE_QUEUE_VERSION",
    "size": "sizeof(headgate_queue_v1)",
    "flags": "0",
    "tick_s": "0",
    "on_arrival": "on_arrival",
}


def write_c(folder: Path, change: dict[str, str]) -> Path:
    path = folder / "mine.c"
    path.write_text(C_QUEUE % (GOOD_QUEUE | change))
    return path


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"status": "7"}, "it returned 7"),
        ({"version": "HEADGATE_QUEUE_VERSION + 1"}, "it has version 2 of headgate_queue; this"),
        ({"version": "1"}, "it is another kind of table; a headgate_queue_v1 is wanted here"),
        ({"size": "8"}, "its table has 8 bytes; headgate_queue_v1 has"),
        ({"flags": "64"}, "its flags are 0x40; headgate.h knows 0x1"),
        ({"tick_s": "1"}, "it has tick_s but no on_tick"),
        ({"on_arrival": "0"}, "it has neither on_arrival nor on_departure"),
        ({"on_arrival": "nobody"}, "cannot be compiled: "),
        ({"body": "d->verdict = 9"}, "verdict became 9; it must be KEEP (0), MARK (1) or DROP (2)"),
        ({"body": "*(volatile int *)0 = 1"}, "crashed (SIGSEGV) in on_arrival, event 1 of port 0"),
        ({"body": "exit(3)"}, "ended the process with 3 in on_arrival, event 1 of port 0"),
    ],
)
def test_c_files(change: dict[str, str], says: str, tmp_path: Path) -> None:
    done = run(tmp_path, write_c(tmp_path, change))
    assert_refused(done, says, "mine.c")


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("./none.py", "network.queue: none.py: there is no such file"),
        ("./mine.txt", "your own discipline must be a file that ends in one of .py, .c, .rs, .so"),
        ("mine", "'mine' is not a queue discipline"),
        (f"{CCAS / 'reno.py'}:Reno", "Reno: has no on_arrival(self, packet, port, decision) or"),
        (f"{CCAS / 'reno.c'}:reno", "it is another kind of table; a headgate_queue_v1 is wanted"),
    ],
)
def test_files(source: str, says: str, tmp_path: Path) -> None:
    done = run(tmp_path, source)
    assert_refused(done, says)


def test_an_algorithm_is_not_made_of_a_discipline(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(GOOD)
    copies = WRONG_PY.with_name("copies.py")
    done = headgate("run", path, "--cca", f"{copies}:Red")
    assert "Red: has no on_ack(self, ack, path, window)" in done.sentence


@pytest.mark.parametrize(
    ("queue", "says"),
    [
        ({"wait_s": "5 packets"}, "'5 packets'"),
        ({"limit_packets": "1 Mbit/s"}, "'1 Mbit/s'"),
        ({"frobnicate": 1}, "got an unexpected keyword argument 'frobnicate'"),
    ],
)
def test_parameters(queue: dict[str, object], says: str, tmp_path: Path) -> None:
    (key, value), *_ = queue.items()
    path = tmp_path / "s.toml"
    path.write_text(GOOD)
    name = f"{WRONG_PY}:Needs"
    table = f'{{name = "{name}", {key} = {value!r}}}'
    done = headgate("run", path, "--set", f"network.queue={table}")
    assert_refused(done, says)


def test_an_argument_within_its_bounds_is_taken_and_beyond_them_is_not(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(GOOD)
    for value, says in (
        ("2 packets", ""),
        ("0.2 BDP", ""),
        (2e6, "it must be from 1 to 1e+06 packets"),
    ):
        table = f'{{name = "{WRONG_PY}:Bounded", limit_packets = {value!r}}}'
        done = headgate("run", path, "--set", f"network.queue={table}")
        assert done.exit_code == (2 if says else 0)
        assert says in done.errors


# headgate check -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        (
            "Raises",
            "1.0 /",
            "ZeroDivisionError: float division by zero (Raises.on_arrival, event 1",
        ),
        (
            "NoVerdict",
            "= 7",
            "verdict became 7; it must be KEEP (0), MARK (1) or DROP (2) (NoVerdict",
        ),
        ("MarksAll", "= MARK", "it marks a packet that is not capable of ECN"),
        ("DrawsMuch", "decision.draw()", "it drew 5 random numbers; a decision may draw at most 4"),
        ("RanksByNan", "nan", "rank became nan; it must be a finite number"),
        ("TickDrops", "", "on_tick must decide on no packet and draw no random number"),
        ("Rewinds", "port.now_s", "AttributeError: attribute 'now_s'"),
        ("KeepsALock", "", "KeepsALock: self.lock is a lock; an attribute must be a number"),
        ("Gambles", "", "Gambles: for equal events the result is verdict "),
        ("Exits", "", "Exits: ended the process with 0 in Exits.on_arrival, event 1 of port 0"),
    ],
)
def test_check_of_python_classes(name: str, line: str, says: str) -> None:
    done = headgate("check", f"{WRONG_PY}:{name}")
    assert_refused_at(done, says, WRONG_PY, line, name)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("*(volatile int *)0 = 1", "crashed (SIGSEGV) in on_arrival, event 1 of port 0"),
        ("((headgate_packet *)p)->size_bytes = 0", "size_bytes was changed from"),
        ("d->verdict = 1", "it marks a packet that is not capable of ECN"),
        ("for (int i = 0; i < 9; i++) headgate_draw(d)", "it drew 9 random numbers"),
        ("return 7", "it returned 7 (on_arrival, event 1 of port 0)"),
        ("if (rand() %% 9 == 0 && time(0)) d->verdict = 2 * (clock() & 1)", "for equal events"),
    ],
)
def test_check_of_c_files(body: str, says: str, tmp_path: Path) -> None:
    path = write_c(tmp_path, {"body": body.replace("%%", "%")})
    path.write_text("#include <time.h>\n" + path.read_text())
    done = headgate("check", path)
    assert_refused(done, says, "mine.c")


@pytest.mark.parametrize(
    ("source", "ways"),
    [
        ("copies.py:Red", "interpreted"),
        ("copies.py:CompiledCodel", "interpreted and compiled"),
        pytest.param("copies.py:CompiledFair", "interpreted and compiled", marks=pytest.mark.slow),
        pytest.param("copies.py:CompiledPi", "interpreted and compiled", marks=pytest.mark.slow),
        ("red.c:red", "compiled"),
        ("codel.c", "compiled"),
        ("red.rs:red", "compiled"),
    ],
)
def test_check_of_a_right_discipline(source: str, ways: str) -> None:
    if "Compiled" in source:
        pytest.importorskip("numba")
    done = headgate("check", WRONG_PY.with_name(source.partition(":")[0]).parent / source)
    assert done.exit_code == 0, done.errors
    assert f"is valid: 20 ports of 1000 random events, {ways}; " in done.output
    assert " packets kept, " in done.output


def test_the_discipline_in_a_library_is_detected(tmp_path: Path) -> None:
    from headgate.plugin.library import build_library

    text = (WRONG_PY.parent / "red.c").read_bytes()
    (tmp_path / "mine.so").write_bytes(
        build_library(str(WRONG_PY.parent / "red.c"), text).read_bytes()
    )
    assert "packets kept" in headgate("check", f"{tmp_path / 'mine.so'}:red").output
