"""A user-defined algorithm: checked, run beside Reno, and the same in numba, C and Rust."""

from pathlib import Path

import headgate
from headgate.plugin import check_cca

CCAS = Path(__file__).parent / "ccas"


def beside_reno(cca: object) -> headgate.Result:
    """Let four flows of the algorithm share a link with four Reno flows."""
    scenario = headgate.dumbbell(
        rate="50 Mbit/s",
        rtt="40 ms",
        buffer="1 BDP",
        impairments=[{"name": "jitter", "mean": "0.1 ms"}],  # as nothing real is exactly periodic
        flows=[
            {"name": "mine", "cca": cca, "count": 4, "stagger": "300 ms"},
            {"name": "reno", "cca": "reno", "count": 4, "stagger": "300 ms", "start": "100 ms"},
        ],
        measure={"warmup": "10 s"},
    )
    return scenario.run("60 s", seed=1)


windows = check_cca(f"{CCAS / 'gentle.py'}:Gentle").sums
print(f"cwnd from {windows['smallest_cwnd']:.0f} to {windows['largest_cwnd']:.0f} segments")

for beta in (0.5, 0.7, 0.9):
    flows = beside_reno({"source": f"{CCAS / 'gentle.py'}:Gentle", "beta": beta}).flows
    mine, reno = (
        flows["goodput_bps"][flows["cca"] == cca].sum() / 1e6 for cca in ("Gentle", "reno")
    )
    print(f"beta {beta}: {mine:.1f} Mbit/s beside Reno's {reno:.1f}")

python = beside_reno(f"{CCAS / 'gentle.py'}:Patient")
for source in ("gentle.py:FastPatient", "patient.c:patient", "patient.rs:patient"):
    try:
        same = beside_reno(str(CCAS / source)).digest == python.digest
    except headgate.HeadgateError as error:  # numba or a compiler is not installed
        print(error)
    else:
        print(f"{source}: the same run: {same}")
