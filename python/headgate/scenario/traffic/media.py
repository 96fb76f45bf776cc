"""Real-time media: streams of frames at a rate that a rate controller adapts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from headgate.base.parameters import count_packets
from headgate.scenario.base import Bytes, Rate, Time, at
from headgate.scenario.cca import CcaChoice
from headgate.scenario.group import HOST_BYTES, Arrays, Group, Item, Need, Planner, place_of
from headgate.scenario.queue import Device
from headgate.scenario.traffic.flows import sending

PS_PER_S, PS_PER_MS = 10**12, 10**9

#: Bytes of memory of a stream before the first packet.
STREAM_BYTES = 2000

#: Target rate of the first frame, bit/s: option `-initrate` of the SCReAM test tool.
START_BPS = 1_000_000


class RateController(Device):
    """`"scream"`, or `{name = "scream", beta_loss = 0.8}`."""

    device: ClassVar[str] = "media"
    written: ClassVar[str] = "a name, such as 'scream', or a table with name and parameters"

    name: str = Field(description="A rate controller of `headgate catalog`.")


class Media(Group):
    """Streams of real-time media: frames at a fixed rate, sent over RTP without retransmission.

    A rate controller adapts the target rate of the encoder to the receiver's reports (RFC 8888).
    """

    #: Keys of other traffic that are not allowed.
    refused: ClassVar[tuple[str, ...]] = ("cca", "transport")
    names_its_ends: ClassVar[bool] = True
    has_streams: ClassVar[bool] = True
    plan_keys: ClassVar[Mapping[str, str]] = {
        "streams": "count",
        "min_bps": "min_rate",
        "max_bps": "max_rate",
        "start_bps": "start_rate",
        "frame_ps": "frame_rate",
        "key_every": "key_frame_every",
        "key_factor": "key_frame_factor",
        "reaction_ps": "encoder_delay",
        "packet_bytes": "packet_size",
        "header_bytes": "header_size",
        "burst_ps": "pacing_burst",
        "reorder_ps": "reordering_window",
        "deadline_ps": "deadline",
        "report_ps": "feedback_interval",
        "report_packets": "feedback_packets",
        "report_frames": "feedback_frames",
    }

    kind: Literal["media"] = "media"
    rate_controller: RateController = Field(
        description="Rate controller of the streams: a name of `headgate catalog`, or a table with"
        " name and parameters."
    )
    count: int = Field(1, ge=1, le=1000, description="Number of streams.")
    start: Time = Field(0, description="When the first stream starts.")
    stagger: Time = Field(0, description="Time from one start to the next.")
    stop: Time | None = Field(
        None, description="No frame is captured from here on; absent = the end."
    )
    min_rate: Rate = Field(100_000, description="Least target rate, packet headers included.")
    max_rate: Rate = Field(10_000_000, description="Greatest target rate.")
    start_rate: Rate | None = Field(
        None,
        description="Target rate of the first frame; absent = 1 Mbit/s, within the two limits.",
    )
    frame_rate: float = Field(30.0, ge=0.1, le=100_000, description="Frames per second.")
    size_deviation: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Greatest relative deviation of a frame's size; sizes are uniformly"
        " distributed around the nominal size.",
    )
    key_frame_every: int | None = Field(
        None,
        ge=2,
        description="Frames from one key frame to the next; absent = only the first.",
    )
    key_frame_factor: float | None = Field(
        None,
        ge=1,
        description="Size of a key frame as a multiple of the mean size; absent = 1. The other"
        " frames are smaller, so that the mean stays.",
    )
    encoder_delay: Time = Field(
        0, description="Time from a change of the target rate until frames have it."
    )
    packet_size: Bytes = Field(1200, description="Size of a full packet, headers included.")
    header_size: Bytes = Field(40, description="Headers of a packet: IPv4, UDP and RTP by default.")
    pacing_burst: Time = Field(
        0, description="Packets that pacing lets leave within this time leave together."
    )
    reordering_window: Time = Field(
        30 * PS_PER_MS,
        description="A packet counts as lost once a packet that left this much later has arrived.",
    )
    deadline: Time = Field(
        150 * PS_PER_MS,
        description="A frame that is complete later than this counts as late (ITU-T G.114).",
    )
    feedback_interval: Time = Field(
        40 * PS_PER_MS, gt=0, description="Longest time from an arrival until it is reported."
    )
    feedback_packets: int = Field(
        16, ge=1, le=8192, description="Arrivals after which the receiver reports at once."
    )
    feedback_frames: bool = Field(
        True, description="Whether the receiver reports at once after the last packet of a frame."
    )

    @model_validator(mode="after")
    def _can_run(self) -> Self:
        if self.stop is not None and self.stop <= self.start + (self.count - 1) * self.stagger:
            raise at("stop", "each stream must stop after it starts, the last one included")
        if self.max_rate < self.min_rate:
            raise at("max_rate", "it may not be below 'min_rate'")
        if not self.min_rate <= self._start_bps <= self.max_rate:
            raise at("start_rate", "it must be from 'min_rate' to 'max_rate'")
        if self.key_frame_factor is not None and self.key_frame_every is None:
            raise at("key_frame_factor", "it requires 'key_frame_every'")
        if self._key_factor > (self.key_frame_every or 1):
            raise at("key_frame_factor", "it may not be above 'key_frame_every'")
        if self.header_size >= self.packet_size:
            raise at("header_size", "it must be below 'packet_size'")
        return self

    def _check_cca(self) -> None:
        for key in self.refused:
            if getattr(self, key) is not None:
                says = "media uses a rate controller instead; write 'rate_controller'"
                raise at(key, f"{says} and leave this key out")

    @property
    def _start_bps(self) -> int:
        if self.start_rate is not None:
            return self.start_rate
        return max(self.min_rate, min(START_BPS, self.max_rate))

    @property
    def _key_factor(self) -> float:
        return self.key_frame_factor or 1.0

    @property
    def most_flows(self) -> int:
        """One per stream."""
        return self.count

    def cca_plan(self) -> dict[str, Any]:
        """Return an algorithm of the plan, which every item requires; nothing uses it."""
        return CcaChoice(name="reno").plan()

    def default_name(self, cca: str) -> str:
        """Return the name of the rate controller."""
        del cca
        return self.rate_controller.name

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the streams of the plan."""
        del planner
        return {
            "rate_controller": self.rate_controller.plan(count_packets),
            "streams": self.count,
            "sources": [place_of(spot) for spot in sending(self.count, item)],
            "receivers": [place_of(spot) for spot in item.receivers],
            "start_ps": self.start,
            "stagger_ps": self.stagger,
            **({} if self.stop is None else {"stop_ps": self.stop}),
            "min_bps": float(self.min_rate),
            "max_bps": float(self.max_rate),
            "start_bps": float(self._start_bps),
            "frame_ps": round(PS_PER_S / self.frame_rate),
            "size_deviation": self.size_deviation,
            "key_every": self.key_frame_every or 0,
            "key_factor": self._key_factor,
            "reaction_ps": self.encoder_delay,
            "packet_bytes": self.packet_size,
            "header_bytes": self.header_size,
            "burst_ps": self.pacing_burst,
            "reorder_ps": self.reordering_window,
            "deadline_ps": self.deadline,
            "report_ps": self.feedback_interval,
            "report_packets": self.feedback_packets,
            "report_frames": self.feedback_frames,
        }

    @classmethod
    def estimate(cls, item: Mapping[str, Any], _arrays: Arrays) -> Need:
        """Count two hosts and the state of each stream."""
        count = item["streams"]
        return Need("count", f"{count:,} streams", count * (2 * HOST_BYTES + STREAM_BYTES), 0)
