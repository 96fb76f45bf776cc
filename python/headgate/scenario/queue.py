"""What a port does beyond queueing: drop or mark; and how its rate changes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from headgate.scenario.base import Buffer, Model, Rate, Time, at


class Queue(Model):
    """`"drop_tail"`, or `{kind = "threshold", mark = "65 packets"}` (RFC 8257 §3.1)."""

    kind: Literal["drop_tail", "threshold"] = Field("drop_tail", description="Kind of queue.")
    mark: Buffer | None = Field(
        None, description="threshold: arrivals that meet more than this are marked, if capable."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, given: Any) -> Any:
        return {"kind": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _has_its_threshold(self) -> Queue:
        if (self.kind == "threshold") != (self.mark is not None):
            raise at("mark", "a threshold queue, and only that, has 'mark'")
        if self.mark is not None and self.mark.unit not in ("packets", "BDP", "BDP/sqrt(n)"):
            raise at("mark", f"'{self.mark}' is not allowed; a threshold is in packets or BDP")
        return self


DROP_TAIL = Queue()


class RateChange(Model):
    """From then on the link has another rate; what is queued by then leaves at the one before."""

    at: Time = Field(gt=0, description="When, from the start of the run.")
    rate: Rate = Field(description="The new rate.")
