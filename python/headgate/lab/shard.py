"""Shards of a campaign: the parts of machines that share no store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headgate.base.errors import HeadgateError
from headgate.lab.jobs import Job


@dataclass(frozen=True)
class Shard:
    """Every `of_all`-th run from the `number`-th by identity: the part of one machine.

    The identities mix the levels of all factors, so shards cost about the same.
    """

    number: int
    of_all: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """Read `2/5`. Raises HeadgateError."""
        number, _, of_all = text.partition("/")
        if not (number.isdigit() and of_all.isdigit() and 1 <= int(number) <= int(of_all)):
            raise HeadgateError(
                f"--shard {text}: write the shard and the number of shards, such as 1/4"
            )
        return cls(int(number), int(of_all))

    def __str__(self) -> str:
        """Return the text that `read` reads."""
        return f"{self.number}/{self.of_all}"

    def of(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """Return the jobs of this shard."""
        return sorted(jobs, key=lambda job: job.identity)[self.number - 1 :: self.of_all]
