"""The published rates of the stream."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def read_rates() -> dict[str, dict[int, list[int]]]:
    """Read the rates in Mbit/s, by kind of frames and round trip, beside 0 to 4 flows."""
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return {
        frames: {int(rtt_ms): mbps for rtt_ms, mbps in rows.items()}
        for frames, rows in tomllib.loads(text).items()
    }
