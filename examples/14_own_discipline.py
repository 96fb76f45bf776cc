"""User-defined queue disciplines beside built-in ones, and one of them in numba, C and Rust."""

from pathlib import Path

import headgate

DISCIPLINES = Path(__file__).parent / "disciplines"


def under(queue: object) -> headgate.Result:
    """Let eight flows share a link with the discipline at its port."""
    scenario = headgate.dumbbell(
        rate="50 Mbit/s",
        rtt="40 ms",
        buffer="2 BDP",
        queue=queue,
        flows=[{"cca": "cubic", "count": 8, "stagger": "300 ms"}],
        measure={"warmup": "10 s"},
    )
    return scenario.run("30 s", seed=1)


blue = f"{DISCIPLINES / 'blue.py'}:Blue"
tight = {"name": blue, "limit_packets": "0.1 BDP"}
shown = {
    "drop_tail": "drop_tail",
    "codel": "codel",
    "Blue": blue,
    "Blue, 0.1 BDP": tight,
    "Stale": f"{DISCIPLINES / 'blue.py'}:Stale",
    "Fair": f"{DISCIPLINES / 'blue.py'}:Fair",
}
for name, queue in shown.items():
    ports = under(queue).ports
    wait_ms, used = ports["mean_wait_s"][0] * 1e3, ports["utilisation"][0]
    print(f"{name:>13}: mean wait {wait_ms:.1f} ms, busy {used:.1%}, {ports['drops'][0]} dropped")

python = under(blue)
for source in ("blue.py:FastBlue", "blue.c:blue", "blue.rs:blue"):
    try:
        same = under(str(DISCIPLINES / source)).digest == python.digest
    except headgate.HeadgateError as error:  # numba or a compiler is not installed
        print(error)
    else:
        print(f"{source}: the same run: {same}")
