"""VCP with exact feedback at rest: the equilibrium of the authors' fluid model, in packets.

By hand: every period t a window changes by the share k (1/rho - 1) and by alpha rtt/t packets,
which at rest cancel; with w = x rtt and rho = N x/(gamma C) the rate of each flow is

    x = gamma C/N + alpha/(k t)

for any RTT. The queue stays empty as long as the N alpha/(k t) = 20 N packets/s fit into the
(1 - gamma) C that are kept free. Rates differ from one another by a share that falls with the time
constant x t^2/alpha.
"""

import numpy as np
import pytest

from headgate import Result, dumbbell

GAMMA, ALPHA, K, PERIOD_S = 0.9, 1.0, 0.25, 0.2
RTTS_MS = (40, 80, 120, 160, 200)
PACKETS_PER_S = 2500.0  # 20 Mbit/s in packets of 1000 B
RATE = GAMMA * PACKETS_PER_S / len(RTTS_MS) + ALPHA / (K * PERIOD_S)
SETTLES_S = RATE * PERIOD_S**2 / ALPHA


def at_rest(feedback: str) -> Result:
    """Measure when e^-8 of the differences at the start is left."""
    warmup_s = 8 * SETTLES_S
    cca = {"name": "vcp", "feedback": feedback}
    return dumbbell(
        rate="20 Mbit/s",
        rtt="40 ms",
        buffer="1000 packets",
        feedback={"name": "vcp", "gamma": GAMMA},
        duration=f"{warmup_s + 60:.3f} s",
        transport={"segment": "960 B", "initial_window": "2 packets"},
        flows=[{"cca": cca, "rtt": f"{rtt} ms"} for rtt in RTTS_MS],
        measure={"warmup": f"{warmup_s:.3f} s", "series": "none"},
    ).run()


@pytest.mark.parametrize(
    ("feedback", "all_apart", "each_apart"),
    # A period holds 470 packets: whole packets move the load by 0.2 %. Eight bits round it up to
    # the next 256th, by half a step in the mean. e^-8 of the differences is 0.03 %; the rest
    # for one flow is its luck with packets of the others in its RTT, which squared scales alpha.
    [("exact", 0.005, 0.02), ("8-bit", 0.008, 0.02)],
)
def test_every_flow_has_its_share_and_twenty_packets(
    feedback: str, all_apart: float, each_apart: float
) -> None:
    result = at_rest(feedback)
    rates = result.flows["delivered_packets"] / 60
    assert rates.sum() == pytest.approx(len(RTTS_MS) * RATE, rel=all_apart)
    assert np.abs(rates / rates.mean() - 1).max() < each_apart
    assert result.ports["loss_rate"][0] == 0
    assert result.ports["mean_queue_packets"][0] < 2
