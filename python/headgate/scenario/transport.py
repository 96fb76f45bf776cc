"""Transport profiles: five presets, and every field settable on top of one.

`default` follows the current RFCs of TCP; `linux` a Linux sender and receiver; `ns2` the agents of
ns-2; `mesonet` the published properties of the simulator of the NIST study of TCP replacements;
`quic` RFC 9000 and RFC 9002.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from headgate.scenario.base import Bytes, Model, Packets, Time, also_text, at
from headgate.scenario.presets import ONLY_QUIC, ONLY_TCP, PRESETS, Pacing


class Transport(Model):
    """How TCP or QUIC sends and receives, apart from the algorithm. A preset sets other fields."""

    model_config = ConfigDict(json_schema_extra=also_text)

    preset: Literal["default", "linux", "ns2", "mesonet", "quic"] | None = Field(
        None,
        description="Profile from which unset fields come. Absent = default; for single traffic, "
        "the scenario's profile.",
    )
    segment: Bytes | None = Field(None, description="Payload of a full data packet.")
    header: Bytes | None = Field(None, description="Headers of a data packet.")
    ack: Bytes | None = Field(None, description="Size of an ACK.")
    syn: Bytes | None = Field(None, description="Size of a SYN.")
    initial_window: Packets | None = Field(None, description="Initial congestion window.")
    initial_ssthresh: Packets | Literal["infinite"] | None = Field(
        None, description="Initial slow-start threshold."
    )
    receive_window: Packets | Literal["infinite"] | None = Field(
        None, description="Window that the receiver advertises."
    )
    rto_rule: Literal["rfc6298", "linux", "ns2"] | None = Field(
        None,
        description="How RTT samples give the retransmission time-out: rfc6298, from SRTT and "
        "RTTVAR with one sample in each round trip; linux, from every sample and the largest "
        "deviation of a round trip; or ns2, in integers that count ticks of the timer's clock.",
    )
    rto_tick: Time | None = Field(None, description="Tick of the timer's clock, with rto_rule ns2.")
    min_rto: Time | None = Field(None, description="Minimum retransmission time-out.")
    rto_margin: Time | None = Field(
        None,
        description="Minimum excess of the time-out over the smoothed RTT. Under rto_rule "
        "linux it is the kernel's tcp_rto_min.",
    )
    initial_rto: Time | None = Field(None, description="Time-out before the first RTT sample.")
    max_rto: Time | None = Field(None, description="Maximum retransmission time-out.")
    syn_tries: int | None = Field(
        None, ge=1, le=255, description="SYNs sent in all before the connection fails."
    )
    syn_timeout: Time | None = Field(None, description="Initial SYN time-out.")
    syn_backoff: bool | None = Field(
        None, description="The SYN time-out doubles with each try; RCP's stays at 0.5 s."
    )
    syn_retry: Literal["rfc5681", "linux"] | None = Field(
        None,
        description="How a connection begins whose SYN was retransmitted: rfc5681 with a window of "
        "one segment and a time-out of 3 s; linux with the initial window unless the SYN was "
        "retransmitted more than once, and with the RTT of the SYN that was answered.",
    )
    recovery: Literal["sack", "sack1", "newreno", "reno"] | None = Field(
        None,
        description="Loss recovery: sack (RFC 6675); sack1, which estimates the data in flight "
        "as ns-2's Sack1 and FAST do, one less for each ACK, so that lost packets stay in it; "
        "newreno (RFC 6582); or reno (RFC 5681), whose fast recovery ends at the first new ACK.",
    )
    limited_transmit: bool | None = Field(None, description="Limited transmit, RFC 3042.")
    prr: bool | None = Field(None, description="Proportional rate reduction, RFC 9937.")
    rack_tlp: bool | None = Field(None, description="RACK and tail loss probe, RFC 8985.")
    dsack: bool | None = Field(
        None,
        description="Receivers report duplicate segments (D-SACK, RFC 2883). Senders undo needless "
        "reductions by these reports and, with rack_tlp, widen their reordering window. Needs "
        "SACK.",
    )
    undo: bool | None = Field(
        None,
        description="A reduction is undone if later ACKs show that nothing was lost, by D-SACK "
        "(RFC 3708) or by time stamps (Eifel, RFC 3522 and RFC 4015).",
    )
    frto: bool | None = Field(
        None,
        description="A time-out is tested for being spurious before more is retransmitted (F-RTO, "
        "RFC 5682). Needs undo.",
    )
    tail_probe: bool | None = Field(
        None, description="With rack_tlp: a tail is probed before its time-out, RFC 8985."
    )
    timeout_sacks: Literal["kept", "forgotten"] | None = Field(
        None,
        description="Whether a sender with SACK still knows after a time-out which packets arrived "
        "(RFC 6675), or sends all again (RFC 2018, ns-2's Sack1).",
    )
    timeout_reduction: Literal["once", "each"] | None = Field(
        None,
        description="Time-outs lower ssthresh once for a window of losses (Linux), or each of them,"
        " from what recovery left of the window (4.3BSD, ns-2).",
    )
    count: Literal["segments", "acks"] | None = Field(
        None, description="Windows grow by segments acknowledged, or by ACKs received."
    )
    whole_windows: bool | None = Field(
        None,
        description="As in Linux: windows are whole packets, smaller growth accumulates until "
        "it makes one, and a reduction starts from the window instead of the data in flight.",
    )
    window_validation: bool | None = Field(
        None, description="The window grows only while it limits the flow."
    )
    delayed_ack: bool | None = Field(None, description="One ACK for every second packet.")
    delayed_ack_timeout: Time | None = Field(None, description="Longest delay of an ACK.")
    quick_acks: int | None = Field(
        None,
        ge=0,
        le=2**32 - 1,
        description="Number of first packets that are acknowledged at once.",
    )
    rtt_sampling: Literal["timestamps", "per_window"] | None = Field(
        None, description="An RTT sample from each ACK, or from one segment at a time."
    )
    clock: Time | None = Field(None, description="Granularity of RTT samples; 0 s = exact.")
    timestamp_clock: Time | None = Field(
        None,
        description="Granularity of time stamps, which alone give the RTT of retransmissions; 0 "
        "s = exact.",
    )
    pacing: Pacing | Literal["none"] | None = Field(None, description="Pacing, or none.")
    pacing_bursts: bool | None = Field(
        None,
        description="Pacing as in Linux: from a flow's tenth packet on, in bursts of up to 1 ms; "
        "after a burst that leaves late, the next one leaves sooner.",
    )
    ecn: bool | Literal["off", "on", "ect0", "ect1"] | None = Field(
        None,
        description="Whether routers may mark the packets of every algorithm instead of dropping "
        "them (RFC 3168), not only of those that need marks (off, or false). Some algorithms do "
        "not slow down for marks, such as bbr; a warning names them. Data carry the codepoint that "
        "the algorithm chooses (on, or true), ECT(0), or ECT(1), by which L4S recognises its "
        "traffic (RFC 9331).",
    )
    ecn_feedback: Literal["auto", "classic", "exact", "accurate"] | None = Field(
        None,
        description="With ECN: how receivers report marks. auto, as the algorithm needs it: "
        "classic or exact; classic, by an echo until the sender has reacted (RFC 3168); exact, of "
        "each segment (RFC 8257), an idealisation; or accurate, by counters in ACKs (RFC 9768).",
    )
    accecn_option: bool | None = Field(
        None,
        description="With accurate feedback: ACKs carry the AccECN option, which counts bytes by "
        "codepoint (RFC 9768 section 3.2.3).",
    )
    ecn_acks: bool | None = Field(
        None,
        description="With ECN: ACKs too may be marked instead of dropped; senders ignore such "
        "marks.",
    )
    ecn_control: bool | None = Field(
        None,
        description="With ECN: answers to SYNs and retransmissions too may be marked instead of "
        "dropped, and with accurate feedback SYNs (RFC 8311 section 4.3).",
    )
    ecn_fallback: bool | None = Field(
        None,
        description="A SYN that is sent again does not ask for ECN (RFC 3168 section 6.1.1.1, "
        "Linux's tcp_ecn_fallback); the connection then does not use it. A request for accurate "
        "feedback is repeated once (RFC 9768 section 3.1.4.1).",
    )
    ecn_receiver: Literal["any", "classic", "off"] | None = Field(
        None,
        description="Echo of marks that receivers support: any that a sender asks for; classic, "
        "only that of RFC 3168; or off, so that connections do not use ECN.",
    )
    after_idle: Literal["rfc5681", "linux", "rfc7661", "ns2", "keep"] | None = Field(
        None,
        description="The window of a connection that has sent nothing for longer than its time-out:"
        " rfc5681, at most the initial window; linux, half of it for each time-out that has passed,"
        " but at least the initial window (RFC 2861, tcp_slow_start_after_idle); rfc7661, unchanged"
        " for five minutes, then half of it for each five minutes; ns2, one segment; "
        "or keep. Algorithms that set the window by a model of the path, such as bbr, keep it.",
    )

    packet_threshold: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="QUIC: a packet is lost if one with a number larger by this is acknowledged "
        "(RFC 9002 section 6.1.1).",
    )
    time_threshold: float | None = Field(
        None,
        ge=1,
        le=100,
        description="QUIC: an overtaken packet is lost after this many RTTs (RFC 9002 section "
        "6.1.2).",
    )
    max_ack_delay: Time | None = Field(
        None, description="QUIC: longest wait of an ACK (RFC 9000 section 18.2)."
    )
    ack_every: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="QUIC: number of packets for one ACK (RFC 9000 section 13.2.2), one more than "
        "the ack-eliciting threshold of draft-ietf-quic-ack-frequency.",
    )
    ack_reordering: int | None = Field(
        None,
        ge=0,
        le=1_000_000,
        description="QUIC: a packet out of order is acknowledged at once (1), never (0), or when a "
        "missing packet is that far behind (the reordering threshold of "
        "draft-ietf-quic-ack-frequency).",
    )

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, given: Any) -> Any:
        """Read `transport = "linux"` as a preset."""
        return {"preset": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _fits_together(self) -> Transport:
        """Check a profile with a preset; another one may be a part of a profile."""
        if self.preset is not None:
            self.check()
        return self

    def check(self) -> None:
        """Raise the error of the first field that does not fit the others."""
        full = self.resolved
        self._fits_preset()
        if not 0 < full["segment"] <= 2**16 - 1:
            raise at("segment", "a segment must be from 1 B to 65535 B")
        for field in ("header", "ack", "syn"):
            if not 0 < full[field] <= 2**16 - 1:
                raise at(field, f"the size of '{field}' must be from 1 B to 65535 B")
        if not 0 < full["min_rto"] <= full["max_rto"]:
            raise at("min_rto", "the least time-out must be above zero and at most max_rto")
        if full["rto_rule"] == "ns2" and full["rto_tick"] <= 0:
            raise at("rto_tick", "rto_rule 'ns2' counts ticks, so rto_tick must be above 0 s")
        if full["initial_rto"] <= 0 or full["syn_timeout"] <= 0:
            says = "the first time-outs (initial_rto, syn_timeout) must be above zero"
            raise at("initial_rto", says)
        if full["receive_window"] != "infinite" and full["receive_window"] > 2**32 - 1:
            says = "a receive window must be at most 2^32 - 1 packets, or 'infinite'"
            raise at("receive_window", says)
        if full["initial_window"] < 1:
            raise at("initial_window", "the initial window must be at least 1 packet")

    def _fits_preset(self) -> None:
        """Refuse keys of QUIC without its preset, and keys of TCP with it."""
        if self.base != "quic":
            for name in ONLY_QUIC:
                if getattr(self, name) is not None:
                    raise at(name, f"'{name}' is a key of QUIC, which needs preset = \"quic\"")
            return
        for name, why in ONLY_TCP.items():
            if getattr(self, name) not in (None, PRESETS["quic"][name]):
                raise at(
                    name, f"'{name}' is a key of TCP, which preset \"quic\" does not use: {why}"
                )

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """All fields, those of the preset unless they are set."""
        own = {key: value for key, value in self.set_fields.items() if key != "preset"}
        return PRESETS[self.base] | own

    @property
    def set_fields(self) -> dict[str, Any]:
        """The fields that are set."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def base(self) -> str:
        """The preset from which unset fields come."""
        return self.preset or "default"

    def lay_over(self, other: Transport) -> Transport:
        """Return the profile of traffic: with a preset this one, else its fields over `other`."""
        if self.preset is not None:
            return self
        return type(self).model_construct(None, **other.set_fields | self.set_fields)

    def fill_in(self) -> Transport:
        """Return the same profile with every field written out."""
        return self.model_copy(update=self.resolved | {"preset": self.base})

    @property
    def segment_bytes(self) -> int:
        """Payload of a full packet."""
        return int(self.resolved["segment"])

    @property
    def packet_bytes(self) -> int:
        """Size of a full data packet on a link."""
        return int(self.resolved["segment"] + self.resolved["header"])

    def plan(self, name: str) -> dict[str, Any]:
        """Return the profile of the plan."""
        full = self.resolved
        pacing, window = full["pacing"], _finite(full["receive_window"])
        # plans from before these keys keep their identity
        after_idle = full["after_idle"]
        return {
            "name": name,
            **{f"{part}_bytes": full[part] for part in ("segment", "header", "ack", "syn")},
            "initial_window": float(full["initial_window"]),
            "initial_ssthresh": _finite(full["initial_ssthresh"]),
            "receive_window": None if window is None else max(1, int(window)),
            **{
                f"{part}_ps": full[part]
                for part in ("rto_tick", "min_rto", "rto_margin", "initial_rto", "max_rto")
            },
            "syn_tries": full["syn_tries"],
            "syn_rto_ps": full["syn_timeout"],
            "syn_backoff": full["syn_backoff"],
            **{part: full[part] for part in _AS_THEY_ARE},
            **({} if after_idle == "rfc5681" else {"after_idle": after_idle}),
            **_plan_ecn(full),
            "delayed_ack_ps": full["delayed_ack_timeout"],
            "rtt": full["rtt_sampling"],
            "clock_ps": full["clock"],
            "timestamp_clock_ps": full["timestamp_clock"],
            "pacing": pacing.model_dump() if isinstance(pacing, Pacing) else None,
            **({"quic": _plan_quic(full)} if self.base == "quic" else {}),
        }


_AS_THEY_ARE = (
    *("rto_rule", "recovery", "limited_transmit", "prr", "rack_tlp", "syn_retry", "dsack", "undo"),
    *("frto", "tail_probe", "timeout_sacks", "timeout_reduction", "count", "whole_windows"),
    *("window_validation", "delayed_ack", "quick_acks", "ecn_acks", "pacing_bursts"),
)


def _plan_ecn(full: dict[str, Any]) -> dict[str, Any]:
    ecn = full["ecn"]
    made: dict[str, Any] = {"ecn": ecn not in (False, "off")}
    if ecn in ("ect0", "ect1"):
        made["ecn_codepoint"] = ecn
    if full["ecn_feedback"] != "auto":
        made["ecn_feedback"] = full["ecn_feedback"]
    later = ("accecn_option", "ecn_control", "ecn_fallback", "ecn_receiver")
    return made | {key: full[key] for key in later if full[key] != PRESETS["default"][key]}


def _plan_quic(full: dict[str, Any]) -> dict[str, Any]:
    made = {name: full[name] for name in ONLY_QUIC}
    return made | {"max_ack_delay_ps": made.pop("max_ack_delay")}


def _finite(packets: Any) -> float | None:
    return None if packets == "infinite" else float(packets)
