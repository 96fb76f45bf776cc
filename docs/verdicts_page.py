"""The table of all stored results: the number of claims of each study by verdict."""

from collections import Counter
from pathlib import Path

from tables import table

from headgate.claims.verdicts import Verdict, count_differences, tally
from headgate.experiment.packages import find_studies
from headgate.experiment.study.documents import count_statements
from headgate.experiment.study.stored import StoredStudy, read_stored

RESULTS = Path(__file__).resolve().parent.parent / "studies" / "results"


def verdicts() -> str:
    """Return one row per study: its scale, its cost, and its claims by verdict."""
    stored = read_stored(RESULTS)
    claims = [claim for one in stored for claim in one.claims]
    hours = sum(one.basis.cpu_s for one in stored) / 3600
    head = ["study", "scale", "runs", "CPU hours", "date", *(f"{verdict}" for verdict in Verdict)]
    missing = ", ".join(
        f"`{name}`" for name in find_studies() if name not in {s.study for s in stored}
    )
    return "\n".join(
        [
            f"{count_statements(stored).describe()}. {tally(claims)}. {count_differences(claims)}."
            f" {hours:.3g} CPU hours.\n",
            table(head, map(_row, stored)),
            f"Studies without stored results: {missing}.\n" if missing else "",
        ]
    )


def _row(one: StoredStudy) -> list[object]:
    counts = Counter(claim.verdict for claim in one.claims)
    basis = one.basis
    cost = [basis.runs, f"{basis.cpu_s / 3600:.2g}", basis.date]
    return [f"`{one.study}`", one.scale, *cost, *(counts[verdict] or "" for verdict in Verdict)]
