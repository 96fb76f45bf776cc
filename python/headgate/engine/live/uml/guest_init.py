"""The first process of a user-mode Linux: it sets the host up and starts programs there.

It runs in the same Python, whose files the guest kernel sees through hostfs.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from headgate.engine.live.uml.control import (
    DEVICE,
    INSIDE,
    PORT,
    PREFIX,
    Kind,
    bring_up,
    receive,
    rename,
    send,
    set_address,
    set_mtu,
    turn_gro_off,
)

#: Prefixes of the kernel modules to load.
MODULES = ("tcp_", "sch_", "cls_", "act_", "ifb", "veth")
#: System call finit_module, for which the C library lacks a function.
_FINIT_MODULE = {"x86_64": 313}
_FINIT_MODULE_32 = 350
_POWER_OFF = 0x4321FEDC

#: Largest output in one frame, bytes.
_PIECE_BYTES = 65536
#: Time in which pending output may still arrive after a program ended.
_LAST_WORDS_S = 0.2

_libc = ctypes.CDLL(None, use_errno=True)


def _mount(kind: str, at: str, options: str = "") -> None:
    if _libc.mount(b"none", at.encode(), kind.encode(), 0, options.encode()):
        os.write(1, f"{at}: not mounted: {os.strerror(ctypes.get_errno())}\n".encode())


def mount_all(writable: list[str]) -> None:
    """Mount the system's file systems, and the writable folders of the host."""
    for kind, at in (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run")):
        _mount(kind, at)
    for kind, at in (("tmpfs", "/dev/shm"), ("devpts", "/dev/pts")):
        Path(at).mkdir(exist_ok=True)
        _mount(kind, at)
    for folder in writable:
        _mount("hostfs", folder, folder)


def load_modules(folder: Path) -> None:
    """Load congestion control algorithms, disciplines and their dependencies in order."""
    needs = {}
    for line in (folder / "modules.dep").read_text().splitlines():
        name, _, others = line.partition(":")
        needs[name] = others.split()
    loaded: set[str] = set()

    def load(name: str) -> None:
        if name in loaded:
            return
        loaded.add(name)
        for other in needs[name]:
            load(other)
        number = _FINIT_MODULE.get(platform.machine(), _FINIT_MODULE_32)
        with (folder / name).open("rb") as file:
            _libc.syscall(number, file.fileno(), b"", 0)

    for name in needs:
        if Path(name).name.startswith(MODULES):
            load(name)


def make_host(settings: dict[str, Any]) -> None:
    """Set the host's name and its devices."""
    socket.sethostname(settings["host"])
    name = settings["device"]
    bring_up("lo")
    rename("vec0", name)
    set_mtu(name, settings["mtu"])
    set_address(name, settings["address"], settings["prefix"])
    turn_gro_off(name)
    bring_up(name, arp=False)
    rename("vec1", DEVICE)
    set_address(DEVICE, INSIDE, PREFIX)
    bring_up(DEVICE)


class RemoteProgram:
    """One program in the guest, controlled by its proxy on the host."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer, self._lock = peer, threading.Lock()

    def _say(self, kind: Kind, data: bytes = b"") -> None:
        with self._lock, suppress(OSError):
            send(self._peer, kind, data)

    def run(self, request: dict[str, Any]) -> None:
        """Run the program until it or its proxy ends."""
        given = subprocess.PIPE if request["input"] else subprocess.DEVNULL
        try:
            program = subprocess.Popen(
                request["words"],
                env=request["env"],
                cwd=request["folder"],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self._say(Kind.ERRORS, f"{request['words'][0]!r} cannot be started: {error}\n".encode())
            self._say(Kind.ENDED, b"127")
            return
        pumps = [
            threading.Thread(target=self._pump, args=(stream, kind), daemon=True)
            for stream, kind in ((program.stdout, Kind.OUTPUT), (program.stderr, Kind.ERRORS))
        ]
        for thread in (*pumps, threading.Thread(target=self._obey, args=(program,), daemon=True)):
            thread.start()
        code = program.wait()
        for pump in pumps:
            pump.join(_LAST_WORDS_S)
        self._say(Kind.ENDED, str(code).encode())

    def _pump(self, stream: IO[bytes], kind: Kind) -> None:
        while piece := os.read(stream.fileno(), _PIECE_BYTES):
            self._say(kind, piece)

    def _obey(self, program: subprocess.Popen[bytes]) -> None:
        while (frame := receive(self._peer)) is not None:
            kind, data = frame
            if kind is Kind.INPUT and program.stdin is not None:
                with suppress(OSError):
                    program.stdin.write(data)
                    program.stdin.flush()
                    if not data:
                        program.stdin.close()
            elif kind is Kind.SIGNAL:
                with suppress(ProcessLookupError):
                    program.send_signal(int(data))
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)


def attend(peer: socket.socket) -> None:
    """Serve one proxy: identify the kernel, halt, or run a program."""
    with peer:
        frame = receive(peer)
        request = json.loads(frame[1]) if frame else {}
        if request.get("asks") == "kernel":
            names = ("system", "release", "machine")
            said = {name: getattr(platform, name)() for name in names}
            send(peer, Kind.ENDED, json.dumps(said).encode())
        elif request.get("asks") == "halt":
            os.sync()
            send(peer, Kind.ENDED)
            _libc.reboot(_POWER_OFF)
        elif request:
            RemoteProgram(peer).run(request)


def serve() -> None:
    """Serve all connections."""
    with socket.create_server((INSIDE, PORT)) as server:
        while True:
            peer, _ = server.accept()
            threading.Thread(target=attend, args=(peer,), daemon=True).start()


def main() -> None:
    """Run as the first process: its child serves, and it reaps orphaned processes."""
    settings = json.loads(bytes.fromhex(sys.argv[2]))
    mount_all(settings["writable"])
    load_modules(Path(settings["modules"], platform.release()))
    make_host(settings)
    if os.fork():
        while True:
            os.wait()
    serve()
