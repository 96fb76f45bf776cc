"""Measure page load times over 4G, alone and beside 500 simulated users, with two queues.

python examples/real/page_load.py [SECONDS]
Makes three runs of SECONDS each in real time and draws out/page-load.png. The page is an index and
20 objects, 576 kB in total. The server, curl and their TCP are real.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import headgate

SCENARIO = Path(__file__).with_name("page.toml")
OBJECTS, SMALLEST, STEP = 20, 10_000, 1_900  # bytes: 10 kB, 11.9 kB, ... 46.1 kB
#: Loads the page repeatedly, with pauses of one second, and prints the duration of each load in ns.
LOAD = """
while ! curl -s -o /dev/null http://web/index.html; do sleep 0.1; done
while true; do
    begun=$(date +%s%N)
    curl -s -o /dev/null http://web/index.html
    curl -s --no-progress-meter -o /dev/null -Z --parallel-max 6 "http://web/[1-20].bin"
    ended=$(date +%s%N)
    echo $((ended - begun))
    sleep 1
done
"""
CASES = (
    ("alone, drop-tail", [], "drop_tail", "#333333", ":"),
    ("beside 500 users, drop-tail", None, "drop_tail", "#d55e00", "-"),
    ("beside 500 users, FQ-CoDel", None, "fq-codel", "#0072b2", "--"),
)


def make_page(folder: Path) -> None:
    """Write the files of the page."""
    (folder / "index.html").write_bytes(os.urandom(15_000))
    for number in range(1, OBJECTS + 1):
        (folder / f"{number}.bin").write_bytes(os.urandom(SMALLEST + STEP * (number - 1)))


def scenario(
    queue: str, seconds: float, users: list[dict[str, object]] | None
) -> headgate.Scenario:
    """Give the scenario of the file with another queue, and optionally without its users."""
    given = headgate.Scenario.load(SCENARIO).to_dict()
    given["network"]["queue"] = queue
    given["duration"] = f"{seconds} s"
    if users is not None:
        given["traffic"] = given["traffic"][:1] + users
    return headgate.Scenario.from_dict(given)


def load_pages(chosen: headgate.Scenario, page: Path) -> np.ndarray:
    """Load the page repeatedly; return the sorted load times in seconds."""
    serve = [sys.executable, "-m", "http.server", "80", "--protocol", "HTTP/1.1"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with headgate.emulate(chosen) as net:
        net.start("web", [*serve, "--directory", str(page)], **quiet)
        phone = net.start("phone", LOAD, stdout=subprocess.PIPE, text=True)
        net.wait([phone])
    took_ns = [line for line in phone.communicate()[0].splitlines() if line.isdigit()]
    return np.sort(np.array(took_ns, float)) / 1e9


def draw(found: dict[str, np.ndarray]) -> None:
    """Draw the cumulative distribution of load times."""
    figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    for name, _, _, colour, style in CASES:
        took_s = found[name]
        share = np.arange(1, len(took_s) + 1) / len(took_s)
        label = f"{name} ({len(took_s)} loads)"
        ax.step(took_s, 100 * share, style, where="post", color=colour, label=label, linewidth=2)
    ax.set(xlabel="page load time (s)", ylabel="loads that took no longer (%)", ylim=(0, 100))
    ax.set_xlim(left=0)
    ax.grid(color="#e5e5e5")
    ax.legend(loc="lower right", frameon=False)
    Path("out").mkdir(exist_ok=True)
    figure.savefig("out/page-load.png", dpi=120)


def main() -> None:
    """Measure, print medians and 90th percentiles, and draw."""
    if shutil.which("curl") is None:
        sys.exit("this example needs curl (Debian: apt-get install curl)")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 90.0
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder)
        make_page(page)
        for name, users, queue, _, _ in CASES:
            took_s = found[name] = load_pages(scenario(queue, seconds, users), page)
            if not len(took_s):
                sys.exit(f"{name}: no load ended within {seconds:g} s; give more")
            half, most = np.quantile(took_s, [0.5, 0.9])
            print(f"{name}: median {half:.2f} s, 90 % within {most:.2f} s, of {len(took_s)} loads")
    draw(found)


main()
