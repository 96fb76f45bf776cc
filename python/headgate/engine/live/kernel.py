"""What the real side of a run is: the kernel and its TCP settings."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Callable
from typing import Any

#: Settings of a network namespace that decide how its TCP behaves.
SETTINGS = (
    "tcp_congestion_control",
    "tcp_ecn",
    "tcp_sack",
    "tcp_timestamps",
    "tcp_recovery",
    "tcp_early_retrans",
    "tcp_rmem",
    "tcp_wmem",
    "tcp_slow_start_after_idle",
    "tcp_no_metrics_save",
    "tcp_min_tso_segs",
    "tcp_pacing_ss_ratio",
    "tcp_pacing_ca_ratio",
)

Start = Callable[..., "subprocess.Popen[Any]"]


def read_kernel() -> dict[str, str]:
    """Name the kernel."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
    }


def read_settings(start: Start, host: str) -> dict[str, str]:
    """Read the TCP settings of a host as they are now; those that its kernel lacks are left out."""
    paths = [f"/proc/sys/net/ipv4/{name}" for name in SETTINGS]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    reader = start(host, ["grep", "", *paths], options)
    said, _ = reader.communicate()
    lines = (line.partition(":") for line in said.splitlines())
    return {path.rpartition("/")[2]: " ".join(value.split()) for path, _, value in lines}
