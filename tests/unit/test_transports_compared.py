"""One algorithm over several transports: tables, pictures and SQL distinguish its flows."""

from pathlib import Path

import numpy as np
import pytest
from tests.errors.command import headgate as command

import headgate
from headgate.data.measures.ccas import label_ccas
from headgate.data.measures.shown import by_cca
from headgate.data.tables import Table, Words

FLOWS = [
    {"cca": "cubic", "count": 2},
    {"cca": "cubic", "count": 2, "transport": "quic"},
    {"cca": "reno", "transport": {"preset": "quic", "initial_window": "20 packets"}},
]


def of(*rows: tuple[str, str]) -> Table:
    ccas, transports = zip(*rows, strict=True)
    return Table("flows", {"cca": Words.of(ccas), "transport": Words.of(transports)})


def test_an_algorithm_over_several_presets_is_labelled_with_each() -> None:
    flows = of(("cubic", "default"), ("cubic", "quic"), ("reno", "quic"), ("cubic", "quic-2"))
    assert label_ccas(flows).tolist() == [
        "cubic (default)",
        "cubic (quic)",
        "reno",
        "cubic (quic)",
    ]


@pytest.mark.parametrize("transports", [("default", "default-2"), ("quic", "quic")])
def test_profiles_of_one_preset_are_one(transports: tuple[str, str]) -> None:
    flows = of(*(("cubic", transport) for transport in transports))
    assert label_ccas(flows).tolist() == ["cubic", "cubic"]


def test_runs_of_earlier_versions_lack_the_transport() -> None:
    flows = Table("flows", {"cca": Words.of(["cubic", "cubic"])})
    assert label_ccas(flows).tolist() == ["cubic", "cubic"]


def test_a_run_that_compares_quic_with_tcp_shows_both(tmp_path: Path) -> None:
    scenario = headgate.dumbbell(
        rate="20 Mbit/s",
        rtt="20 ms",
        flows=FLOWS,
        impairments=[{"name": "jitter", "mean": "300 us"}],
    )
    result = scenario.run("5 s", out=tmp_path / "run")
    assert result.flows["transport"].tolist() == ["default"] * 2 + ["quic"] * 2 + ["quic-2"]
    shown = {row["cca"]: row["flows"] for row in by_cca(result.tables)}
    assert shown == {"cubic (default)": 2, "cubic (quic)": 2, "reno": 1}
    drawn = command("plot", str(tmp_path / "run"))
    assert not drawn.exit_code
    picture = (tmp_path / "run/figures/throughput.svg").read_text()
    for label in ("cubic (default), sum of 2", "cubic (quic), sum of 2", "reno"):
        assert label in picture
    assert np.isfinite(result.flows["goodput_bps"]).all()
