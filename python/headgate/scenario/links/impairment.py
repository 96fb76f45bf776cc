"""An impairment of a link: loss in bursts, jitter, reordering, duplication, a policer."""

from __future__ import annotations

from typing import ClassVar

from headgate.scenario.queue import Device


class Impairment(Device):
    """`"jitter"`, `{name = "gilbert_elliott", to_bad = 0.001}`, `{name = "policer", ...}`."""

    device: ClassVar[str] = "impairment"
