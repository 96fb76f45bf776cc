"""A user-mode Linux as a live host: discovery, boot, and shutdown from the host side."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from headgate.engine.live.hosts import Command, EmulationError

PROGRAM, PACKAGE = "linux.uml", "user-mode-linux"

UML_PACKAGE = "headgate.engine.live.uml"

#: The device of a live host, and the prefix length of its addresses.
DEVICE, PREFIX = "headgate", 16

#: The last words of a guest that sets fewer registers than the host keeps: the host refuses a part
#: of them (EFAULT of `xstateregs_set` in Linux).
OTHER_PROCESSOR = "ptrace set fp regs failed"
BECAUSE_OF_PROCESSOR = (
    "this processor probably keeps more registers than the package's kernel knows, for example"
    " Intel's AMX; use another machine, or the kernel 'host'"
)

#: Memory of the guest; untouched memory costs nothing.
MEMORY = "512M"

#: Time for the guest to write its files back and stop.
HALT_S = 5.0

#: Starts a program in the namespaces of the host.
Start = Callable[..., "subprocess.Popen[Any]"]


def find_kernel() -> tuple[Path, Path]:
    """Return the kernel and the folder of its modules. Raises EmulationError if it is missing."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise EmulationError(
            f"there is no {PROGRAM} on this machine; the Debian package {PACKAGE} has it"
            f" (apt install {PACKAGE})"
        )
    modules = Path(found).resolve().parent.parent / "lib/uml/modules"
    if not modules.is_dir():
        says = f"{modules}: there are no modules; the Debian package {PACKAGE} has them"
        raise EmulationError(says)
    return Path(found), modules


def call(module: str, function: str, *words: str) -> list[str]:
    """Return the command line that calls a function of a module, without site packages."""
    package = find_spec(module.partition(".")[0])
    assert package is not None
    assert package.origin is not None
    root = str(Path(package.origin).resolve().parents[1])
    program = (
        f"import sys; sys.path.insert(0, sys.argv[1]); from {module} import {function} as main"
    )
    return [sys.executable, "-I", "-S", "-c", f"{program}; main()", root, *words]


def proxy(command: Command) -> list[str]:
    """Return the command line of the proxy of a program that runs in the guest."""
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else list(map(str, command))
    return call(f"{UML_PACKAGE}.proxy", "run_program", *words)


class Machine:
    """One guest kernel. It ends with its namespaces, or when `halt` is called."""

    def __init__(self, host: str, start: Start) -> None:
        self.host = host
        self._start = start
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by `halt`
        self._program: subprocess.Popen[Any] | None = None
        self.kernel: dict[str, str] = {}

    def boot(self, card: tuple[int, str], ipv4: str, mtu: int) -> None:
        """Boot the guest with a network card. Raises EmulationError if it does not start."""
        fd, address = card
        kernel, modules = find_kernel()
        settings = {
            "host": self.host,
            "device": DEVICE,
            "address": ipv4,
            "prefix": PREFIX,
            "mtu": mtu,
            "modules": str(modules),
            "writable": writable_folders(),
        }
        words = kernel_words(kernel, f"transport=fd,fd={fd},mac={address}", settings)
        both = {"stdout": self._log, "stderr": subprocess.STDOUT}
        self._program = self._start(
            call(f"{UML_PACKAGE}.proxy", "boot", *words), {"pass_fds": [fd], **both}
        )
        self.kernel = json.loads(self._ask("kernel"))

    def _ask(self, request: str, patience_s: float = float("inf")) -> str:
        assert self._program is not None
        until_s = time.monotonic() + patience_s
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        asker = self._start(call(f"{UML_PACKAGE}.proxy", "print_answer", request), pipes)
        while asker.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                asker.wait(0.05)
            if self._program.poll() is not None or time.monotonic() > until_s:
                asker.kill()
        said: str = asker.communicate()[0]
        if asker.returncode:
            raise EmulationError(f"host {self.host}: {PROGRAM} did not start: {self._last_words()}")
        return said

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = [line.strip() for line in self._log if line.strip()]
        panic = next((n for n, line in enumerate(lines) if line.startswith("Kernel panic")), None)
        last = (lines[:panic] or ["it said nothing"])[-1]
        return f"{last} ({BECAUSE_OF_PROCESSOR})" if OTHER_PROCESSOR in last else last

    def halt(self) -> None:
        """Ask the guest to write its files back and stop."""
        if self._program is not None and self._program.poll() is None:
            with suppress(EmulationError, subprocess.TimeoutExpired):
                self._ask("halt", HALT_S)
                self._program.wait(HALT_S)
        self._log.close()


def kernel_words(kernel: Path, card: str, settings: dict[str, Any]) -> list[str]:
    """Return the command line of a kernel whose first process is `guest_init`."""
    first = call(f"{UML_PACKAGE}.guest_init", "main", json.dumps(settings).encode().hex())
    return [
        *(str(kernel), f"mem={MEMORY}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro"),
        *("con=null", "con0=null,fd:1", "quiet", "panic=-1", "uml_dir=/run/"),
        *(f"vec0:{card}", "vec1:transport=tap,ifname=control"),
        *(f'init="{first[0]}"', "--", *(f'"{word}"' for word in first[1:])),
    ]


def writable_folders() -> list[str]:
    """Return the folders in which programs of the guest may write."""
    here, temporary = os.getcwd(), tempfile.gettempdir()
    folders = [temporary] if Path(here).is_relative_to(temporary) else [temporary, here]
    return [folder for folder in folders if folder != "/"]
