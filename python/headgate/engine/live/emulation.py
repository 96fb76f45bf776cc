"""Emulation: a scenario that runs in real time, with programs in its live hosts."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from headgate.base.errors import HeadgateWarning
from headgate.data.folder import hold_for_run, write_folder
from headgate.engine.api import Result, Scenario
from headgate.engine.live.arrivals import LOG_FILE, make_arrivals, make_parts, read_log
from headgate.engine.live.hosts import (
    UML,
    Command,
    EmulationError,
    KernelChoice,
    choose_kernels,
    end_programs,
    find_host,
    host_names,
    source_hosts,
    start_program,
    write_names,
)
from headgate.engine.live.results import (
    describe_loop,
    live_tables,
    raw_files,
    read_kernel,
    read_settings,
    say_overload,
    write_captures,
)
from headgate.engine.live.uml.machine import PREFIX, Machine, call, find_kernel, proxy
from headgate.engine.run.memory import check_memory
from headgate.engine.run.prepare import make_own_code, translate_refusal
from headgate.engine.run.record import make_record
from headgate.engine.run.simulate import engine_errors
from headgate.plugin.interface import PreparedCode
from headgate.scenario.plan import plan_json

if TYPE_CHECKING:
    from headgate._native import Emulation as Native

#: The identity of every run in real time, because no two are the same.
LIVE = "live"

MTU_BYTES = 1500
SMALLEST_MTU_BYTES, LARGEST_MTU_BYTES = 68, 65_535


class OverloadWarning(HeadgateWarning):
    """The simulation was slower than real time."""


def emulate(  # noqa: PLR0913 - what a run can be given
    scenario: Scenario | Mapping[str, Any] | str | Path,
    *,
    duration: str | None = None,
    seed: int | None = None,
    mtu: int = MTU_BYTES,
    out: str | Path | None = None,
    capture: bool = False,
    kernel: KernelChoice = None,
) -> Emulation:
    """Open a scenario in real time, for programs in its live hosts; a context manager.

    >>> with headgate.emulate("bottleneck.toml") as net:  # doctest: +SKIP
    ...     server = net.start("b", ["python3", "-m", "http.server", "80"])
    ...     net.run("a", "curl -s http://b/ > /dev/null", check=True)
    >>> net.result.tables["live_flows"]  # doctest: +SKIP

    `scenario` is a scenario, its keys as a dict, or the path of its file.

    Time begins with the `with` block and ends with it, or after the scenario's duration. `out` is a
    folder for the result, which no other run may use meanwhile: arrivals are written there at once.
    `capture` also writes the packets at each host's device as pcapng. `kernel` is "uml" for another
    kernel at the source, or `{"a": "uml"}` for hosts by name: their programs run inside a user-mode
    Linux. Linux only. Raises ScenarioError, EmulationError, StoreError.
    """
    chosen = _read_scenario(scenario)
    given = {"duration": duration, "seed": seed}
    changes = {key: value for key, value in given.items() if value is not None}
    folder = None if out is None else Path(out)
    changed = chosen.replaced(changes) if changes else chosen
    return Emulation(changed, folder, mtu, capture=capture, kernel=kernel)


def _read_scenario(given: Scenario | Mapping[str, Any] | str | Path) -> Scenario:
    if isinstance(given, Scenario):
        return given
    return Scenario.from_dict(given) if isinstance(given, Mapping) else Scenario.load(given)


class Emulation:
    """Live hosts on a simulated network. `result` is available after the `with` block."""

    def __init__(
        self,
        scenario: Scenario,
        out: Path | None,
        mtu: int,
        *,
        capture: bool,
        kernel: KernelChoice = None,
    ) -> None:
        if not SMALLEST_MTU_BYTES <= mtu <= LARGEST_MTU_BYTES:
            allowed = f"{SMALLEST_MTU_BYTES} to {LARGEST_MTU_BYTES} bytes"
            raise EmulationError(f"mtu: {mtu} is not allowed; it must be from {allowed}")
        if capture and out is None:
            raise EmulationError("capture: a capture needs a folder to be written into (out)")
        self.scenario, self.out, self.mtu = scenario, out, mtu
        self._captures = capture
        self._planned = scenario.plan()
        self.hosts = host_names(self._planned[0])
        self.kernels = choose_kernels(kernel, self.hosts, source_hosts(scenario))
        if UML in self.kernels.values():
            find_kernel()
        self._machines: dict[str, Machine] = {}
        self.commands: list[dict[str, Any]] = []
        self.command = ""
        self._programs: list[subprocess.Popen[Any]] = []
        self._failure: BaseException | None = None
        self._own: Sequence[PreparedCode] = ()
        self._result: Result | None = None
        self._native: Native | None = None

    @property
    def result(self) -> Result:
        """The result of the run. Raises EmulationError before the end."""
        if self._result is None:
            raise EmulationError("there is no result yet; it is there after the with block")
        return self._result

    @property
    def is_over(self) -> bool:
        """Whether simulated time has ended."""
        return not self._thread.is_alive()

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            if self.out is not None:
                opened.enter_context(hold_for_run(self.out))
            folder = tempfile.TemporaryDirectory(prefix="headgate-")
            self._folder = Path(opened.enter_context(folder))
            self._native = self._open()
            opened.callback(self._native.close)
            self._log = opened.enter_context(self._log_path.open("rb"))
            if not self._captures:
                folder.cleanup()  # the needed files are open
            self._boot()
            self._opened = opened.pop_all()
        self._begun_s, self._cpu_s = time.time(), time.process_time()
        self._thread = threading.Thread(target=self._turn, name="headgate emulate", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        native = self._at_work()
        native.stop()
        end_programs(self._programs)
        self._thread.join()
        try:
            if kind is None:
                self._finish()
            for machine in self._machines.values():
                machine.halt()
        finally:
            self._opened.close()

    def address(self, host: str, version: int = 4) -> str:
        """Return a host's IPv4 or IPv6 address. Programs in the hosts may use names instead."""
        four, *six = self._addresses(self._at_work(), find_host(self.hosts, host))
        if version == 6 and not six:
            raise EmulationError(f"host {host}: its kernel has no IPv6")
        return six[0] if version == 6 else four

    @property
    def prefix_length(self) -> int:
        """The length of the prefix of the hosts' IPv4 addresses, in bits."""
        return PREFIX

    @staticmethod
    def module_command(module: str, *words: str) -> list[str]:
        """Return the command that calls `main` of a module, which may import Python's own only."""
        return call(module, "main", *words)

    def start(self, host: str, command: Command, **options: Any) -> subprocess.Popen[Any]:
        """Start a program in a host: a line for the shell, or a list.

        `options` are those of `subprocess.Popen`. Programs that still run at the end are
        terminated.
        """
        program = self._start(host, command, options)
        self._programs.append(program)
        at_s = time.time() - self._begun_s
        self.commands.append({"host": host, "command": command, "start_s": at_s, "exit_code": None})
        return program

    def run(
        self, host: str, command: Command, *, check: bool = False, **options: Any
    ) -> subprocess.CompletedProcess[Any]:
        """Run a program in a host to its end; `capture_output`, `timeout` as in `subprocess.run`.

        Raises TimeoutExpired, and with `check` subprocess.CalledProcessError if it fails.
        """
        timeout, text = options.pop("timeout", None), options.pop("input", None)
        if options.pop("capture_output", False):
            options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        if text is not None:
            options["stdin"] = subprocess.PIPE
        program = self.start(host, command, **options)
        try:
            said, wrong = program.communicate(text, timeout)
        except subprocess.TimeoutExpired:
            program.kill()
            program.communicate()
            raise
        done = subprocess.CompletedProcess(command, program.returncode, said, wrong)
        if check:
            done.check_returncode()
        return done

    def wait(self, programs: Sequence[subprocess.Popen[Any]], every_s: float = 0.02) -> None:
        """Wait until all of these programs or simulated time have ended."""
        while not self.is_over and any(program.poll() is None for program in programs):
            time.sleep(every_s)

    def _at_work(self) -> Native:
        if self._native is None:
            raise EmulationError("the hosts are there within the with block only")
        return self._native

    def _addresses(self, native: Native | type[Native], host: int) -> tuple[str, ...]:
        """Return the addresses of a host; a user-mode Linux lacks IPv6."""
        both = native.addresses(host)
        return both[:1] if self.kernels[self.hosts[host]] == UML else both

    def _start(
        self, host: str, command: Command, options: Mapping[str, Any]
    ) -> subprocess.Popen[Any]:
        """Start a program, or its proxy if the host runs another kernel."""
        entry = self._at_work().entry(find_host(self.hosts, host))
        words = proxy(command) if host in self._machines else command
        return start_program(entry, host, words, options)

    def _boot(self) -> None:
        native = self._at_work()
        for number, host in enumerate(self.hosts):
            if self.kernels[host] == UML:
                start = partial(start_program, native.entry(number), host)
                machine = Machine(host, start)
                machine.boot(native.insert_card(number), native.addresses(number)[0], self.mtu)
                self._machines[host] = machine

    def _open(self) -> Native:
        try:
            from headgate._native import Emulation as Native
        except ImportError:
            reason = f"this is {sys.platform}" if sys.platform != "linux" else "run `make setup`"
            raise EmulationError(f"emulate needs Linux and the built engine; {reason}") from None
        plan, arrays = self._planned
        check_memory(plan, arrays)
        self._own = make_own_code(self.scenario, plan)
        own = [ready.native for ready in self._own]
        addresses = [self._addresses(Native, number) for number in range(len(self.hosts))]
        names = self._folder / "hosts"
        names.write_text(write_names(self.hosts, addresses), encoding="utf-8")
        names.chmod(0o644)
        captures = raw_files(self._folder, self.hosts) if self._captures else []
        duplicates = any(link.get("impairments") for link in plan["links"])
        wanted = (len(self.hosts), self.mtu, duplicates)
        try:
            return Native(plan_json(plan), arrays, own, wanted, (names, self._log_path, captures))
        except ValueError as error:
            raise translate_refusal(str(error), plan, self.scenario) from None
        except OSError as error:
            raise EmulationError(str(error)) from None

    def _turn(self) -> None:
        try:
            with engine_errors(self._own, self._planned[0]):
                self._at_work().run()
        except BaseException as error:
            self._failure = error

    def _finish(self) -> None:
        if self._failure is not None:
            raise EmulationError(f"the run stopped: {self._failure}") from None
        native = self._at_work()
        for command, program in zip(self.commands, self._programs, strict=True):
            command["exit_code"] = program.returncode
        facts = native.results()
        loop = describe_loop(native.report(), self.hosts)
        tables = live_tables(self._planned[0], self.hosts, native, facts)
        self._result = Result(tables, self._describe(facts, loop))
        for says in say_overload(loop):
            warnings.warn(says, OverloadWarning, stacklevel=4)
        if self.out is None:
            arrivals = make_arrivals(read_log(self._log), native.ended_ps)
            self._result.tables = {**tables, "arrivals": arrivals}
        else:
            self._keep(self._result, self.out)

    def _keep(self, result: Result, out: Path) -> None:
        """Write the result, whose tables are read on demand from now on."""
        arrivals = make_parts(self._log, self._at_work().ended_ps)
        write_folder(out, {**result.tables, "arrivals": arrivals}, result.meta)
        self._log_path.unlink()
        self._result = Result.read(out)
        if self._captures:
            write_captures(self._folder, self.hosts, out, self._begun_s)

    @property
    def _log_path(self) -> Path:
        return (self.out or self._folder) / LOG_FILE

    def _describe(self, facts: dict[str, Any], loop: dict[str, Any]) -> dict[str, Any]:
        native = self._at_work()
        addresses = [self._addresses(native, number) for number in range(len(self.hosts))]
        record = make_record(
            *(self.scenario, self._planned, {**facts, "digest": ""}),
            identity=LIVE,
            command=self.command,
            cpu_s=time.process_time() - self._cpu_s,
            wall_s=time.time() - self._begun_s,
        )
        record["warnings"] = [*record["warnings"], *say_overload(loop)]
        record["live"] = {
            "simulated_digest": facts["digest"],
            "ended_s": native.ended_ps / 1e12,
            "started_at_unix_s": self._begun_s,
            "hosts": dict(zip(self.hosts, addresses, strict=True)),
            "mtu_bytes": self.mtu,
            "commands": self.commands,
            "kernel": read_kernel(),
            "kernels": {host: machine.kernel for host, machine in self._machines.items()},
            # programs may have changed the settings
            "tcp": {host: read_settings(self._start, host) for host in self.hosts},
            "processors": os.cpu_count(),
            "loop": loop,
        }
        return record
