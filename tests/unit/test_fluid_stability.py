"""The output of `headgate fluid --stability`, its pictures, and the search for equilibria."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from typer.testing import CliRunner

from headgate.base.errors import ScenarioError
from headgate.cli.main import app
from headgate.engine.fluid import analyse_stability, solve
from headgate.engine.fluid.characteristic import chebyshev, interpolation_weights
from headgate.figures.plots.stability import draw_boundaries, draw_stability

NETWORK = {
    "links": {"core": {"rate": "100 Mbit/s"}},
    "classes": {"all": {"flows": 20, "rtt": "100 ms", "path": ["core"]}},
}


def test_polynomials_are_exact_at_and_between_chebyshev_s_nodes() -> None:
    nodes, slopes = chebyshev(6)
    assert nodes[0] == 0
    assert nodes[-1] == -1
    values = nodes**5 - 2 * nodes
    np.testing.assert_allclose(slopes @ values, 5 * nodes**4 - 2, atol=1e-12)
    for place in (-0.3, -0.77, nodes[2]):
        np.testing.assert_allclose(
            interpolation_weights(nodes, place) @ values, place**5 - 2 * place
        )


def test_a_rest_that_no_solution_comes_near_is_found() -> None:
    """RED from 20 to 60 packets circles: W0 = (2 (1 - p)/p)^0.5, x = q = 20 + 40 p, R = D + q/C."""
    window, queue, mean = analyse_stability("tcp-red").state
    p = (mean - 20) / 40
    np.testing.assert_allclose(queue, mean, rtol=1e-9)
    np.testing.assert_allclose(window, np.sqrt(2 * (1 - p) / p), rtol=1e-9)
    np.testing.assert_allclose(window, 30 * 0.2 + queue, rtol=1e-9)


def test_a_guess_says_where_to_look() -> None:
    found = analyse_stability("tcp-red", at=[20.0, 25.0, 25.0])
    np.testing.assert_allclose(found.state, analyse_stability("tcp-red").state, rtol=1e-9)


def test_what_rests_is_what_a_solution_comes_to() -> None:
    red = {"min_packets": 5.0, "max_packets": 2000.0, "weight": 0.01}
    found = analyse_stability("misra-gong-towsley", red, network=NETWORK)
    run = solve("misra-gong-towsley", red, network=NETWORK, duration="200 s", warmup="190 s")
    assert found.stable
    np.testing.assert_allclose(
        found.rest["queue_packets"], run.ports["mean_queue_packets"], rtol=1e-4
    )


def test_a_guess_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(ScenarioError, match="at: must be 3 finite numbers"):
        analyse_stability("tcp-red", at=[1.0])


def test_the_command_prints_and_draws(tmp_path: Path) -> None:
    order = ["fluid", "tcp-red", "--set", "red=queue", "--stability"]
    done = CliRunner().invoke(app, [*order, "--out", str(tmp_path)])
    assert done.exit_code == 0
    assert "tcp-red, equilibrium: unstable; perturbations grow at 0.9118/s" in done.output
    assert "The equilibrium lies on a switching boundary" in done.output
    assert (tmp_path / "stability.png").stat().st_size > 10_000
    said = json.loads(CliRunner().invoke(app, [*order, "--json"]).output)
    assert said["unstable_roots"] == 2
    assert not said["stable"]


def test_pictures_are_drawn_for_stable_and_unstable_networks() -> None:
    for beta in (0.226, 0.5):
        params = {"alpha": 0.4, "beta": beta, "target_packets": 1000.0}
        found = analyse_stability("rcp", params, network=NETWORK)
        figure = draw_stability("rcp", found.roots, found.loop, None)
        assert len(figure.axes) == 2
        plt.close(figure)
    points = (np.array([0.1, 0.5]), np.array([0.1, 0.4]))
    figure = draw_boundaries({"theory": points}, {"simulated": points})
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == [
        "theory",
        "simulated",
    ]
    plt.close(figure)
