"""A process that checks cases one after another: a line of JSON in, a line of JSON out.

Memory and CPU time are limited by the system: a case which takes too much ends its process, and no
other.
"""

import json
import resource
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from .case import AGAIN, check
from .draw import Draw
from .scenarios import make

#: Address space, bytes.
MEMORY = 3 << 30
#: Time beyond a case's CPU time after which the system ends it: setting up a large state, a slice,
#: and a snapshot are not cut.
GRACE_S = 20


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        order = json.loads(line)
        limit_cpu(order["cpu_s"])
        print(json.dumps(carry_out(order)), flush=True)


def limit_cpu(cpu_s: float) -> None:
    """Have the system end this process if it does not look at the clock."""
    soft = int(time.process_time() + cpu_s + GRACE_S)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


def carry_out(order: dict[str, Any]) -> dict[str, Any]:
    draw = Draw(order["seed"] + 1)
    if "file" in order:
        scenario, again = tomllib.loads(Path(order["file"]).read_text()), list(AGAIN)
    elif "scenario" in order:
        scenario, again = order["scenario"], list(AGAIN)
    else:
        scenario, again = make(order["seed"]).scenario, draw.choice([[], *([way] for way in AGAIN)])
    return check(scenario, draw, again, order["cpu_s"]).plain()


if __name__ == "__main__":
    main()
