"""Warnings of fluid runs: given just beyond each limit, not within it, and visible to users."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headgate.base.errors import FluidWarning, HeadgateWarning
from headgate.cli.main import app
from headgate.engine.fluid import solve

#: 100 Mbit/s and 120 ms: 1,000 packets.
BDP = 1000.0


def network(window: float, buffer: str = "infinite") -> dict[str, Any]:
    """So many packets a flow fill the path."""
    return {
        "links": {"core": {"rate": "100 Mbit/s", "buffer": buffer}},
        "classes": {"web": {"flows": BDP / window, "rtt": "120 ms", "path": ["core"]}},
    }


def said(model: str, window: float, buffer: str = "infinite", **params: Any) -> list[str]:
    """Return the warnings of a run that starts in equilibrium except for its queue."""
    given = {"initial_window": window, **params}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FluidWarning)
        links = network(window, buffer)
        result = solve(model, given, network=links, duration="400 s", warmup="200 s")
    found: list[str] = result.meta["warnings"]
    return found


@pytest.mark.parametrize(
    ("model", "within", "beyond", "word"),
    [
        ("fast", 2.6, 2.4, "wait for time-outs"),
        ("reno", 10.2, 9.8, "wait for time-outs"),
        ("scalable", 6.1, 5.9, "wait for time-outs"),
        ("hstcp", 59.0, 61.0, "slows down once"),
        ("scalable", 147.0, 153.0, "slows down once"),
    ],
)
def test_windows_are_warned_of_from_their_limit_on(
    model: str, within: float, beyond: float, word: str
) -> None:
    assert said(model, within) == []
    (warning,) = said(model, beyond)
    assert warning.startswith("web: ")
    assert word in warning


@pytest.mark.parametrize(
    ("buffer", "word"),
    [("0.55 BDP", "many in step"), ("0.75 BDP", "has no queue"), ("2 BDP", "9 times as rare")],
)
def test_a_model_without_a_queue_is_warned_of_by_its_buffer(buffer: str, word: str) -> None:
    assert said("reno", 20.0, "0.65 BDP") == []
    (warning,) = said("reno", 20.0, buffer)
    assert word in warning


def test_a_full_buffer_is_warned_of_where_flows_do_not_heed_losses() -> None:
    """50 flows keep 500 packets: there is room for them, or not."""
    assert said("fast", 20.0, "520 packets", alpha=10.0) == []
    (warning,) = said("fast", 20.0, "480 packets", alpha=10.0)
    assert "core: the buffer of 480 packets is full" in warning


def test_vegas_between_alpha_and_beta_is_warned_of() -> None:
    assert said("vegas", 20.0, alpha=3.0, beta=3.0) == []
    assert said("vegas", 102.0) == []
    (warning,) = said("vegas", 98.0)
    assert "2 to 4 packets" in warning


def test_a_queue_that_runs_empty_is_warned_of() -> None:
    """A gentle slope over many packets is stable; a steep one oscillates."""
    profile = {"min_packets": 100.0, "weight": 0.002}
    gentle = profile | {"max_packets": 2000.0, "max_p": 0.05}
    assert said("misra-gong-towsley", 20.0, "2 BDP", **gentle) == []
    steep = profile | {"max_packets": 120.0, "max_p": 1.0}
    (warning,) = said("misra-gong-towsley", 20.0, "2 BDP", **steep)
    assert "the queue oscillates between 0 and" in warning


def test_few_flows_over_red_are_warned_of() -> None:
    """Five flows of 200 packets are few, six of 167 are not; the queue is still by then."""
    gentle = {"min_packets": 100.0, "max_packets": 2000.0, "max_p": 0.01, "weight": 0.002}
    assert said("misra-gong-towsley", BDP / 6, "3 BDP", **gentle) == []
    (warning,) = said("misra-gong-towsley", BDP / 5, "3 BDP", **gentle)
    assert warning.startswith("core: 5 flows; with up to 5 flows")
    (warning,) = said("misra-gong-towsley", BDP, "3 BDP", **gentle)
    assert warning.startswith("core: 1 flow; with up to 5 flows")


def test_means_that_count_a_climb_are_warned_of() -> None:
    """Reno takes 400 round trips and more from 10 packets to 400, 48 s; slow start 0.7 s."""
    links = network(400.0)
    with pytest.warns(FluidWarning, match="set a warm-up of"):
        solve("reno", network=links, duration="100 s")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve("reno", network=links, duration="100 s", warmup="70 s")


def test_a_fluid_warning_is_one_of_headgates() -> None:
    assert issubclass(FluidWarning, HeadgateWarning)
    assert issubclass(HeadgateWarning, UserWarning)


def test_the_command_says_it_on_stderr(tmp_path: Path) -> None:
    file = tmp_path / "network.toml"
    file.write_text(
        '[links.core]\nrate = "100 Mbit/s"\nbuffer = "1 BDP"\n'
        '[classes.web]\nflows = 50\nrtt = "120 ms"\npath = ["core"]\n'
    )
    arguments = [
        "fluid",
        "reno",
        "--network",
        str(file),
        "--duration",
        "300 s",
        "--warmup",
        "150 s",
    ]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0
    assert done.stderr.startswith("warning: core: reno has no queue")
    assert "warning" not in done.stdout
