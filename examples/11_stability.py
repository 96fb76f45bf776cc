"""Find the stable gains of XCP and RCP: by theory, simulated, and with an empty queue.

The boundaries are drawn into out/stability.png, and the margins of one setting into
out/nyquist.png.
"""

from pathlib import Path

import numpy as np

from headgate import fluid
from headgate.figures import draw_stability, draw_stability_boundaries

network = {
    "links": {"core": {"rate": "100 Mbit/s"}},
    "classes": {"all": {"flows": 20, "rtt": "100 ms", "path": ["core"]}},
}
held = {"target_packets": 1000.0}  # the queue never empties, so linear theory applies


def boundary(alphas, most, **how):
    """Return the greatest stable beta for each alpha."""
    given = how.pop("params", {})
    return np.array(alphas), np.array(
        [
            fluid.find_stability_boundary(
                "rcp", "beta", (0.01, most), {"alpha": alpha, **given}, network=network, **how
            )
            for alpha in alphas
        ]
    )


theory = boundary(np.linspace(0.05, 1.5, 11), 2.0, params=held, close=0.01)
simulated = boundary([0.1, 0.4, 0.8, 1.1, 1.4], 2.0, params=held, by="simulation", close=0.03)
empty = boundary([0.7, 0.8, 1.0, 1.2, 1.4], 4.0, by="simulation", close=0.03)
for alpha, beta in zip(*simulated, strict=True):
    print(f"alpha {alpha}: stable up to beta {beta:.3f} with a queue above zero")
for alpha, beta in zip(*empty, strict=True):
    print(f"alpha {alpha}: stable up to beta {beta:.2f} with the queue at zero")

Path("out").mkdir(exist_ok=True)
figure = draw_stability_boundaries(
    {"linear theory": theory, "simulated, queue at zero": empty},
    {"simulated, queue above zero": simulated},
)
figure.savefig("out/stability.png", dpi=120)

published = fluid.analyse_stability("xcp", {"alpha": 0.4, "beta": 0.226, **held}, network=network)
left_deg = published.margins.phase_deg
print(f"XCP's published gains leave a phase margin of {left_deg:.1f} degrees")
figure = draw_stability("XCP's published gains", published.roots, published.loop, left_deg)
figure.savefig("out/nyquist.png", dpi=120)
