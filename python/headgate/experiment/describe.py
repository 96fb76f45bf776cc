"""What an experiment is, in a few lines and as facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headgate.experiment.definition import Definition


def facts(of: Definition) -> dict[str, Any]:
    """Return what `headgate experiment check --json` prints."""
    made = of.made
    return {
        "kind": of.file.kind,
        "source": made.source,
        "factors": {name: list(levels) for name, levels in of.levels.items()},
        "conditions": len(of.conditions),
        "replicates": of.file.replicates,
        "runs": len(made.sheet),
        "seeds": list(of.setup.seeds),
        "responses": {one.name: {"unit": one.unit, "title": one.title} for one in of.responses},
        "claims": [claim.id for claim in of.file.claims],
    }


def lines(of: Definition) -> Iterator[str]:
    """Say what is varied, how many runs that is, and what is measured."""
    count, repeats = len(of.conditions), of.file.replicates
    yield f"{count} conditions ({of.made.source}), {repeats} replicates: {len(of.made.sheet)} runs"
    paths = {factor.name: factor.setting for factor in of.made.design.factors}
    for name, levels in of.levels.items():
        path = f" ({paths[name]})" if paths[name] != name else ""
        yield f"{name}{path}: {', '.join(map(str, levels))}"
    for one in of.responses:
        yield f"response {one.axis}: {one.title}".rstrip(": ")
    for claim in of.file.claims:
        yield f"claim {claim.id}: {claim.statement}"
