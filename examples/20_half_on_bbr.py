"""A provider's map and traffic matrix, and the links that change if half of the users run BBRv3."""

import math
from pathlib import Path

import headgate

FOLDER = Path(__file__).parent

scenario = headgate.load(FOLDER / "small_isp.toml").replaced({"measure.series": "none"})
before = scenario.run()
after = scenario.replaced({"share.bbr3": 0.5}).run()  # the same files at the same times

changes = [
    (str(link), 1e3 * was, 1e3 * now)
    for link, was, now in zip(
        before.ports["link"], before.ports["mean_wait_s"], after.ports["mean_wait_s"], strict=True
    )
    if math.isfinite(was) and math.isfinite(now)  # links that carry packets
]
print("mean wait in the queue (ms), all users on CUBIC and half of them on BBRv3:")
for link, was, now in sorted(changes, key=lambda change: -abs(change[2] - change[1]))[:5]:
    print(f"  {link:<16} {was:6.2f} {now:6.2f}")

# One run of each is no proof: the experiment repeats both and gives intervals.
# headgate experiment run examples/experiments/half_bbr.toml
