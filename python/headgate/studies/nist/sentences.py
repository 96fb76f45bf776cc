"""What an experiment says in plain sentences beside its analyses."""

from __future__ import annotations

from headgate.studies.nist.summary import Experiment


def sentences(of: Experiment) -> tuple[str, ...]:
    """Say how congested the conditions are, and how well what is counted adds up."""
    said = {name: _resent(of, names) for name, names in (("light", of.light), ("heavy", of.heavy))}
    least, most = of.order[0], of.order[-1]
    return (
        f"Without FAST, {said['light']} of the packets are sent again in the least congested"
        f" quarter of the conditions and {said['heavy']} in the most congested one; the least is"
        f" {least}, the most {most} (second period).",
        f"Packets and flows add up exactly in all {len(of.runs.results)} runs; waiting by Little's"
        f" law differs from samples by {100 * _worst(of):.1f} % at most over a whole network.",
    )


def _resent(of: Experiment, names: object) -> str:
    shares = [of.others("y10", name) for name in names]  # type: ignore[attr-defined]
    return f"{100 * sum(shares) / len(shares):.2g} %"


def _worst(of: Experiment) -> float:
    """Return the greatest difference between both counts of waiting over all ports of a run."""
    return max(
        float(abs(row))
        for result in of.runs.results.values()
        for row in result.tables["checks"]["relative_error"][2:3]
    )
