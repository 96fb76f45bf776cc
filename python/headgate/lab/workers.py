"""Workers of a campaign: the cores of this machine, or a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.lab.processes import Processes
from headgate.lab.scheduler import Executor


@dataclass(frozen=True)
class WorkerPool:
    """Number of runs at a time on this machine (all cores by default), or a cluster."""

    workers: int | None = None
    cluster: str | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        """Raise HeadgateError if the cluster's file is missing, before anything is read."""
        if self.cluster is not None:
            from headgate.lab.cluster import wait_for_file

            wait_for_file(self.cluster)

    def executor(self) -> Executor:
        """Return the executor. Raises HeadgateError if the cluster cannot be reached."""
        if self.cluster is None:
            return Processes(self.workers, self.threads)
        from headgate.lab.cluster import Cluster

        return Cluster(self.cluster)


ALL_CORES = WorkerPool()
