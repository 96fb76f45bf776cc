"""A cluster: Dask.distributed workers on any machines, which share the folder of the study.

Workers may come, leave and die at any time: the scheduler gives their runs to others, which resume
from the last snapshot. The workers store results themselves, so finished runs need neither the
scheduler nor this process.
"""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import Field

from headgate.base.errors import HeadgateError
from headgate.base.optional import import_library, require
from headgate.base.strict import Strict, read_toml
from headgate.lab import local_worker
from headgate.lab.child import Children
from headgate.lab.jobs import Job
from headgate.lab.worker import CampaignSpec, JobOutcome, run_isolated

if TYPE_CHECKING:
    from distributed import Client

Value = TypeVar("Value")

log = logging.getLogger("headgate")

CONNECT_S = 10.0
#: How long a scheduler that was just started may take to write its file.
FILE_S = 30.0
TRIES = 2
#: Greatest time for an answer of the scheduler, and for the end of the cluster.
ANSWER_S, CLOSE_S = 60.0, 60.0
#: Greatest time for local workers to start, which nothing else can start.
START_S = 300.0


def retry_start(make: Callable[[], Value]) -> Value:
    """Create an object that starts Dask's event loop.

    Raises HeadgateError if the loop does not start.

    Dask gives its loop 10 s, which a busy machine can exceed, and then fails with an assertion. The
    loop starts first, so a second try creates nothing twice.
    """
    for _ in range(TRIES):
        try:
            return make()
        except AssertionError:
            continue
    raise HeadgateError(
        "Dask's event loop has not started in 10 s, nor at a second try: this machine has too much"
        " else to do; try again later"
    )


class Profile(Strict):
    """Source of workers: the queue of a cluster, or processes of this machine."""

    engine: Literal["local", "htcondor", "lsf", "moab", "oar", "pbs", "sge", "slurm"]
    jobs: int = Field(1, ge=1, description="Jobs to ask for; processes, if local.")
    at_least: int | None = Field(
        None, ge=0, description="The least number to keep; up to `jobs` while there is work."
    )
    options: dict[str, Any] = Field(
        default_factory=dict, description="What dask-jobqueue wants to know of a job."
    )

    @classmethod
    def load(cls, path: Path) -> Profile:
        """Read a profile in TOML. Raises HeadgateError."""
        return read_toml(cls, path)

    def start(self) -> Any:
        """Start the workers; return the cluster to connect to and close. Raises HeadgateError."""
        try:
            cluster = retry_start(self.make_cluster)
            if self.at_least is None:
                cluster.scale(**{self._of("jobs"): self.jobs})
            else:
                bounds = {"minimum": self.at_least, "maximum": self.jobs}
                cluster.adapt(**{self._of(name): count for name, count in bounds.items()})
        except (TypeError, ValueError, OSError, RuntimeError) as error:
            raise HeadgateError(f"engine {self.engine}: {_first_line(error)}") from None
        return cluster

    def _of(self, name: str) -> str:
        """Return the argument that counts jobs, which may run several workers each."""
        if self.engine == "local":
            return {"jobs": "n"}.get(name, name)
        return {"jobs": "jobs"}.get(name, f"{name}_jobs")

    def make_cluster(self) -> Any:
        """Create the cluster without workers."""
        if self.engine == "local":
            from distributed import LocalCluster

            plain: dict[str, Any] = {
                "n_workers": 0,
                "threads_per_worker": 1,
                "dashboard_address": ":0",
                # Runs use the memory of other processes. A worker in this process would count all
                # memory of this process, and pause indefinitely.
                "memory_limit": 0,
            }
            if self.options.get("processes", True):
                plain["preload"] = [local_worker.__name__]
            return LocalCluster(**{**plain, **self.options})
        dask_jobqueue = import_library("dask_jobqueue")
        kinds = {kind.lower(): kind for kind in dir(dask_jobqueue) if kind.endswith("Cluster")}
        return getattr(dask_jobqueue, kinds[f"{self.engine}cluster"])(**self.options)


#: Values of --cluster.
PLACES = "give its address, such as tcp://host:8786, its file, or a profile in TOML"


def wait_for_file(where: str) -> None:
    """Wait for a scheduler's file. Raise HeadgateError if `where` is neither address nor file."""
    path, end = Path(where), time.monotonic() + FILE_S
    if where.endswith(".json") and path.parent.is_dir() and not _is_written(path):
        log.warning("--cluster %s: waiting up to %.0f s for the scheduler's file", where, FILE_S)
        while not _is_written(path) and time.monotonic() < end:
            time.sleep(0.05)
    if ":" not in where and not path.is_file():
        raise HeadgateError(
            f"--cluster {where}: there is no such file, and a scheduler's address has a port;"
            f" {PLACES}"
        )


def _is_written(path: Path) -> bool:
    """Return whether a scheduler has written its file completely."""
    try:
        json.loads(path.read_text())
    except (OSError, ValueError):
        return False
    return True


class Cluster:
    """Workers of a cluster; `where` is a scheduler's address or file, or a profile in TOML."""

    #: The last runs may be started twice, in case the first worker is slow or stuck.
    copies = True

    def __init__(self, where: str) -> None:
        #: Greatest time without workers until the campaign ends.
        self.patience_s = math.inf
        self._cluster: Any = None
        self._spec: CampaignSpec | None = None
        self.client = self._connect(where)

    def _connect(self, where: str) -> Client:
        require("cluster", "--cluster")
        try:
            return retry_start(partial(_make_client, timeout=CONNECT_S, **self._place(where)))
        except (OSError, ValueError) as error:
            self.close()
            raise HeadgateError(
                f"--cluster {where}: there is no scheduler to be reached ({_first_line(error)});"
                f" {PLACES}"
            ) from None

    def _place(self, where: str) -> dict[str, Any]:
        if where.endswith(".toml"):
            profile = Profile.load(Path(where))
            self._cluster = profile.start()
            self.patience_s = START_S if profile.engine == "local" else math.inf
            return {"address": self._cluster}
        if Path(where).is_file():
            return {"scheduler_file": where}
        return {"address": where}

    @property
    def slots(self) -> int:
        """Number of runs that the present workers make at a time. Raises HeadgateError."""
        try:
            scheduler: Any = self.client.scheduler
            return sum(self.client.sync(scheduler.ncores, callback_timeout=ANSWER_S).values())
        except (OSError, AttributeError) as error:  # a closed client has no scheduler
            raise HeadgateError(
                f"the connection to the cluster's scheduler is lost ({_first_line(error)}); what "
                "is finished is stored, and the same command resumes it"
            ) from None

    def open(self, spec: CampaignSpec) -> None:
        """Begin a campaign, whose workers store its runs."""
        self._spec = spec

    def submit(self, job: Job, *, copy: bool = False) -> Future[JobOutcome]:
        """Make a run as soon as a worker is free."""
        made: Future[JobOutcome] = self.client.get_executor(pure=False).submit(
            _make_run, self._spec, job, copy
        )
        return made

    def close(self) -> None:
        """Leave the cluster; end it, if it was started here."""
        if hasattr(self, "client"):
            _close_client(self.client)
        if self._cluster is not None:
            try:
                self._cluster.close(timeout=CLOSE_S)
            except TimeoutError:
                log.warning("the cluster's workers have not ended in %.0f s", CLOSE_S)


def _make_client(**given: Any) -> Client:
    """Create a client; close one that does not reach its scheduler.

    Otherwise the garbage collector closes it, which takes a lock of Dask's. If that happens while
    the same thread starts an event loop and holds the lock, both wait forever.
    """
    from distributed import Client

    client: Any = Client.__new__(Client)
    try:
        client.__init__(**given)
    except BaseException:
        _close_client(client)
        raise
    made: Client = client
    return made


def _close_client(client: Client) -> None:
    """Close a client, also one that is incomplete or does not close in time."""
    with suppress(OSError, AttributeError, AssertionError, RuntimeError):
        client.close()


#: Processes for runs, in each Dask worker, so that a crash leaves the worker alive.
_children = Children()


def _make_run(spec: CampaignSpec, job: Job, copy: bool) -> JobOutcome:
    return run_isolated(_children, spec, job, copy)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
