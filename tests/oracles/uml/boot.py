"""Boots Linux 6.1 as a process (user-mode Linux) and lets its TCP and qdiscs carry flows.

`python tests/oracles/uml/boot.py OUT < BATCH` runs one batch: each line of BATCH is a scenario, as
`NAME; DELAY_MS; BOTTLENECK; CCA@START CCA@START ...`, and `; QDISC` for a qdisc at the sender, such
as `fq`. Needs the Debian packages `user-mode-linux`, `kmod`, `ethtool`, `iproute2`, `gcc`,
installed or unpacked (`dpkg -x`) below the folder UML_TOOLS. `measure.py` runs all that is stored.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
#: Program, the package that has it.
PROGRAMS = {
    "linux.uml": "user-mode-linux",
    "insmod": "kmod",
    "ethtool": "ethtool",
    "tc": "iproute2",
    "ip": "iproute2",
    "gcc": "gcc",
}
#: If only registers of SSE are saved, the C library must use no others.
PLAIN_CODE = "glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-XSAVE,-XSAVEC"


@dataclass(frozen=True)
class Run:
    """Flows from one host to another over one bottleneck."""

    name: str
    delay_ms: float
    bottleneck: str
    flows: tuple[tuple[str, float], ...]
    sender_qdisc: str = "none"

    @classmethod
    def parse(cls, line: str) -> "Run":
        """Read one line of a batch."""
        name, delay_ms, bottleneck, flows, *sender = (part.strip() for part in line.split(";"))
        ccas = [flow.partition("@") for flow in flows.split()]
        starts = tuple((cca, float(at or 0)) for cca, _, at in ccas)
        return cls(name, float(delay_ms), bottleneck, starts, *sender)


def tools() -> Path:
    """Give the folder below which the packages are."""
    return Path(os.environ.get("UML_TOOLS", "/"))


def find(program: str) -> str | None:
    """Find a program in the unpacked packages or in the system."""
    places = [str(tools() / folder) for folder in ("usr/bin", "usr/sbin", "bin", "sbin")]
    return shutil.which(
        program, path=os.pathsep.join([*places, os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    )


def missing_packages() -> list[str]:
    """Name the Debian packages that a boot needs and that are not here."""
    return sorted({package for program, package in PROGRAMS.items() if find(program) is None})


def boot(runs: Sequence[Run], out: Path, duration_s: int = 60, interval_ms: int = 20) -> None:
    """Run scenarios side by side in one kernel; `out` gets flows.csv, queues.csv and the log."""
    out.mkdir(parents=True, exist_ok=True)
    compile_program("traffic", out)
    lines = [f"{run.delay_ms:g} {run.sender_qdisc} {run.bottleneck}\n" for run in runs]
    (out / "scenarios").write_text("".join(lines))
    flows = [(at, *flow) for at, run in enumerate(runs) for flow in run.flows]
    (out / "flows").write_text("".join(f"{at} {cca} {start_s}\n" for at, cca, start_s in flows))
    settings = {
        "OUT": out.resolve(),
        "TOOLS": "" if tools() == Path("/") else tools(),
        "MODULES": tools() / "usr/lib/uml/modules",
        "SECONDS_LONG": duration_s,
        "INTERVAL_MS": interval_ms,
        **({"GLIBC_TUNABLES": PLAIN_CODE} if has_amx() else {}),
    }
    kernel = [
        *(
            find("linux.uml") or "linux.uml",
            "mem=1536M",
            "root=/dev/root",
            "rootfstype=hostfs",
            "rootflags=/",
        ),
        *(
            "ro",
            f"init={HERE.resolve()}/init.sh",
            "con=null",
            "con0=null,fd:1",
            "quiet",
            "panic=-1",
        ),
        *(f"uml_dir={out.resolve()}/", *(f"{name}={value}" for name, value in settings.items())),
    ]
    subprocess.run(
        [*steady(), *narrow(out), *kernel],
        stdin=subprocess.DEVNULL,
        check=True,
        timeout=3 * duration_s + 60,
    )
    if "ended with 0" not in (out / "log").read_text():
        raise RuntimeError(f"the traffic failed: see {out / 'log'}")


def compile_program(name: str, out: Path) -> Path:
    """Compile a program of this folder."""
    program = out / name
    subprocess.run([find("gcc") or "gcc", "-O2", "-o", program, HERE / f"{name}.c"], check=True)
    return program


def narrow(out: Path) -> list[str]:
    """Give the program that hides wide registers, if the kernel lacks space for them."""
    return [str(compile_program("narrow", out).resolve())] if has_amx() else []


def has_amx() -> bool:
    """Whether the kernel cannot save all registers of this processor."""
    return "amx_tile" in Path("/proc/cpuinfo").read_text().split()


def steady() -> list[str]:
    """One core, and no other process before it, if that is allowed."""
    core = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    allowed = (
        subprocess.run(["chrt", "-f", "20", "true"], capture_output=True, check=False).returncode
        == 0
    )
    return [*(["chrt", "-f", "20"] if allowed else []), *core]


def main() -> None:
    """Run the batch of the standard input."""
    if missing := missing_packages():
        sys.exit(f"not here: the Debian packages {', '.join(missing)} (see the head of {__file__})")
    boot([Run.parse(line) for line in sys.stdin if line.strip()], Path(sys.argv[1]))


if __name__ == "__main__":
    main()
