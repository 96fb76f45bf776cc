"""Measures Headgate beside ns-3, ns-2 and htsim: the figures of docs/reference/peers.md.

    python -m scripts.peers build [--htsim DIRECTORY]
    python -m scripts.peers speed [--rounds 5] [--ns3-seconds 40]
    python -m scripts.peers agree [--workers 1]
    python -m scripts.peers page

`build` compiles the programs and names the Debian packages that are missing. `speed` and `agree`
write CSV files below `tests/oracles/data/peers`. `page` puts the tables of these files into the
page.
"""

import argparse
import sys
from pathlib import Path

from . import agree, build, figures, speed


def main() -> int:
    """Do one step."""
    parser = argparse.ArgumentParser(
        "scripts.peers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("build", "speed", "agree", "page"))
    parser.add_argument("--htsim", type=Path, help="its sources, cloned from GitHub")
    parser.add_argument("--programs", type=Path, default=Path("target/peers"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ns3-seconds", default=speed.DURATION, help="simulated time of ns-3")
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.step == "page":
        figures.PAGE.write_text(figures.renew(figures.PAGE.read_text()))
        sys.stdout.write(speed.processor() + "\n")
        return 0
    if lacking := build.missing(chosen.htsim):
        sys.stderr.write("missing:\n  " + "\n  ".join(lacking) + "\n")
        return 1
    figures.DATA.mkdir(exist_ok=True)
    if chosen.step == "build":
        build.build(chosen.programs, chosen.htsim)
    elif chosen.step == "speed":
        out = figures.DATA / "speed.csv"
        speed.measure(chosen.programs, out, chosen.rounds, chosen.ns3_seconds)
    else:
        ns3 = chosen.programs / "ns3_agree"
        agree.measure(ns3, figures.DATA / "agreement.csv", chosen.workers)
    return 0


sys.exit(main())
