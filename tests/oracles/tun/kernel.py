"""This machine's own TCP over an emulated path: builds `headgate-tun` and runs it."""

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RATE_MBPS = 20
#: A repeat counts if the path was in time: 99 of 100 packets at most so late, and none by half of
#: the least time-out, so that no timer went off for it.
LATE_P99_US = 500
LATE_MAX_US = 100_000
#: Flows start this much later than in the repeat before, s, each by as much more than the one
#: before it: the phase of another's sawtooth when a flow joins decides how much is lost. Some
#: milliseconds are not enough: packets fall back into the same order.
APART_S = 0.1


@dataclass(frozen=True)
class Case:
    """A drop-tail path and who sends over it; a flow is (algorithm, start in s, segments or 0)."""

    name: str
    flows: tuple[tuple[str, float, int], ...]
    rtt_ms: float = 40
    buffer: int = 67
    loss: float = 0
    duration_s: float = 120
    from_s: float = 20

    def repeated(self, number: int) -> "Case":
        """Give the case as a repeat has it: with other starts."""
        flows = tuple(
            (cca, round(start + at * number * APART_S, 6), segments)
            for at, (cca, start, segments) in enumerate(self.flows, 1)
        )
        return replace(self, flows=flows)

    def arguments(self) -> list[str]:
        """Give the command line of `headgate-tun`."""
        flows = ",".join(f"{cca}:{start}:{segments}" for cca, start, segments in self.flows)
        return [
            f"rate={RATE_MBPS}e6",
            f"delay_ms={self.rtt_ms / 2}",
            f"buffer={self.buffer}",
            f"loss={self.loss}",
            f"duration={self.duration_s}",
            f"from={self.from_s}",
            f"flows={flows}",
        ]


@cache
def program() -> Path:
    """Compile `headgate-tun`, once."""
    out = Path(tempfile.mkdtemp(prefix="headgate-tun-")) / "headgate-tun"
    sources = [str(path) for path in sorted(HERE.glob("*.c"))]
    command = [
        "cc",
        "-O2",
        "-std=gnu17",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-o",
        str(out),
        *sources,
        "-lpthread",
    ]
    subprocess.run(command, check=True)
    return out


def missing(ccas: set[str]) -> str | None:
    """Say what this machine lacks for such a run."""
    if not shutil.which("cc"):
        return "a C compiler"
    offered = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    if not offered.exists():
        return "Linux"
    if absent := ccas - set(offered.read_text().split()):
        return f"congestion control '{min(absent)}' in this kernel"
    brief = Case("brief", (("reno", 0, 1),), duration_s=1)
    done = subprocess.run(
        [program(), *brief.arguments()], capture_output=True, text=True, check=False
    )
    return None if done.returncode == 0 else done.stderr.strip()


def run(case: Case, seed: int, trace: Path | None = None) -> dict[str, Any]:
    """Run a case in real time."""
    extra = [f"seed={seed}"] + ([f"trace={trace}"] if trace else [])
    command = [program(), *case.arguments(), *extra]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def disturbed(result: dict[str, Any]) -> bool:
    """Tell whether the machine was too busy for the run to count."""
    late = result["late_p99_us"] > LATE_P99_US or result["late_max_us"] > LATE_MAX_US
    return late or bool(result["device_drops"])
