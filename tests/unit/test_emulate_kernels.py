"""The choice of another kernel for live hosts, and the errors if it is missing or fails."""

import os
import socket
import sys
from pathlib import Path

import pytest
from tests.errors.command import headgate as command
from tests.hosts import LIVE_FILE, live_dumbbell, require_hosts

import headgate
from headgate.base.errors import HeadgateError
from headgate.engine.live.hosts import EmulationError, choose_kernels, parse_kernels
from headgate.engine.live.uml.control import Kind, receive, send
from headgate.engine.live.uml.machine import OTHER_PROCESSOR, PROGRAM, kernel_words


def test_kernels_are_chosen_by_one_word_or_by_host() -> None:
    hosts, sources = ["a", "b", "c"], ["a", "c"]
    chosen = choose_kernels(parse_kernels(["uml"]), hosts, sources)
    assert chosen == {"a": "uml", "b": "host", "c": "uml"}
    chosen = choose_kernels(parse_kernels(["b=uml", "a=host"]), hosts, sources)
    assert chosen == {"a": "host", "b": "uml", "c": "host"}
    assert set(choose_kernels(None, hosts, sources).values()) == {"host"}
    for texts, says in (
        (["uml", "b=uml"], "one kernel, or HOST=KERNEL"),
        (["bsd"], "'bsd' is not allowed; it must be host or uml"),
        (["d=uml"], "there is no live host 'd'"),
    ):
        with pytest.raises(HeadgateError, match=says):
            choose_kernels(parse_kernels(texts), hosts, sources)


def test_frames_arrive_as_they_were_sent() -> None:
    here, there = socket.socketpair()
    with here, there:
        for frame in ((Kind.INPUT, b""), (Kind.OUTPUT, bytes(10_000)), (Kind.ENDED, b"-9")):
            send(here, *frame)
            assert receive(there) == frame
        here.sendall(b"\x03")  # the beginning of a frame, and no more
        here.shutdown(socket.SHUT_WR)
        assert receive(there) is None


def test_a_path_with_blanks_is_one_word_to_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/my files/python")
    words = kernel_words(Path("/usr/bin/linux.uml"), "transport=fd,fd=3", {})
    assert 'init="/my files/python"' in words
    assert words[words.index("--") + 1] == '"-I"'


def test_a_machine_without_it_says_which_package_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        EmulationError, match=r"no linux\.uml .* the Debian package user-mode-linux"
    ):
        headgate.emulate(live_dumbbell(), kernel="uml")
    program = tmp_path / PROGRAM
    program.touch(mode=0o755)
    with pytest.raises(EmulationError, match="no modules; the Debian package user-mode-linux"):
        headgate.emulate(live_dumbbell(), kernel="uml")


def install_failing_kernel(monkeypatch: pytest.MonkeyPatch, folder: Path, says: str) -> None:
    """Make a kernel the first on the path that says why it fails."""
    (folder / "bin").mkdir()
    (folder / "lib/uml/modules").mkdir(parents=True)
    program = folder / "bin" / PROGRAM
    program.write_text(f"#!/bin/sh\necho '{says}'\necho Kernel panic - not syncing\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_a_kernel_that_does_not_start_says_its_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    require_hosts()
    install_failing_kernel(monkeypatch, tmp_path, "no memory here")
    with (
        pytest.raises(EmulationError, match=r"host a: linux\.uml did not start: no memory here"),
        headgate.emulate(live_dumbbell(), kernel="uml"),
    ):
        pass


def test_the_command_takes_kernels(tmp_path: Path) -> None:
    file = tmp_path / "live.toml"
    file.write_text(LIVE_FILE)
    for wrong, says in (("bsd", "host or uml"), ("c=uml", "there is no live host 'c'")):
        refused = command("emulate", str(file), "--kernel", wrong, "--a", "true")
        assert refused.exit_code == 2
        assert says in refused.sentence


def test_a_processor_that_it_does_not_know_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    require_hosts()
    install_failing_kernel(monkeypatch, tmp_path, f"userspace - {OTHER_PROCESSOR}, errno = 14")
    with (
        pytest.raises(EmulationError, match=r"errno = 14 \(this processor probably keeps more"),
        headgate.emulate(live_dumbbell(), kernel="uml"),
    ):
        pass
