"""64,512 numbers become a whole report in a minute on two cores, and a page below 10 MB."""

import time
from pathlib import Path

import numpy as np
import pytest

from headgate.data.parquet import write_table
from headgate.data.tables import Table, Words
from headgate.figures.analysis.roles import Pair, Roles
from headgate.figures.report.about import About, write
from headgate.figures.report.make import make

CCAS = ("bic", "ctcp", "fast", "hstcp", "htcp", "scalable", "reno")
SHAPE = (32, 7, 3, 2, 48)  # conditions, algorithms, periods, replicates, responses
MOST_S = 60.0
MOST_BYTES = 10_000_000


def table() -> Table:
    """Six factors move some responses; FAST differs if the first two raise congestion."""
    rng = np.random.default_rng(1)
    basic = np.array(np.meshgrid(*[(-1, 1)] * 5)).reshape(5, -1)
    signs = np.vstack([basic, basic.prod(axis=0)])
    moves = rng.normal(size=(6, SHAPE[-1])) * (rng.random((6, SHAPE[-1])) < 0.3) * 4
    level = 100 + signs.T @ moves
    values = level[:, None, None, None] + rng.normal(size=SHAPE)
    values[..., 9] += 10 * (signs[0] + signs[1])[:, None, None, None]
    values[:, 2, :, :, 4:12] += 20 * (signs[0] + signs[1] > 0)[:, None, None, None]
    condition, cca, period, seed = (axis.ravel() for axis in np.indices(SHAPE[:-1]))
    names = ["".join("+" if s > 0 else "-" for s in of) for of in signs.T]
    columns = {f"X{i + 1}": signs[i][condition] for i in range(6)}
    columns |= {"period": period + 1, "seed": seed}
    columns |= {f"y{i + 1}": values[..., i].ravel() for i in range(SHAPE[-1])}
    labels = {"condition": Words(condition, names), "cca": Words(cca, CCAS)}
    return Table("runs", {**labels, **columns})


@pytest.mark.timing
def test_the_whole_chain_takes_a_minute_at_most(tmp_path: Path) -> None:
    roles = Roles(
        responses=tuple(f"y{i + 1}" for i in range(SHAPE[-1])),
        factors=tuple(f"X{i + 1}" for i in range(6)),
        condition=("condition",),
        cca="cca",
        period="period",
        before="reno",
        congestion="y10",
        pairs=(Pair(title="movies", own="y20", other="y34", available=200.0),),
        questions={"recovery": ("y10",), "safety": ("y1", "y2", "y3")},
        worse={"y10": "more"},
    )
    assert np.prod(SHAPE) == 64_512
    write_table(tmp_path / "runs.parquet", table())
    write(About(title="t", table="runs.parquet", roles=roles), tmp_path)
    started_s = time.monotonic()
    page = make(tmp_path, workers=2)
    assert time.monotonic() - started_s <= MOST_S
    assert page.stat().st_size < MOST_BYTES
