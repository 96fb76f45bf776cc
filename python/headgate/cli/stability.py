"""`headgate fluid NAME --stability`: linear stability of a model's equilibrium."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.terminal import echo

if TYPE_CHECKING:
    from headgate.engine.fluid import Stability

#: Roots that are printed.
ROOTS = 3
#: The picture, in the folder of `--out`.
PICTURE = "stability"


def tell(
    model: str,
    params: dict[str, float | str],
    network: dict[str, Any] | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Print the linear stability of a model's equilibrium, and draw it."""
    from headgate.engine.fluid import analyse_stability

    found = analyse_stability(model, params, network=network)
    said = _summary(found)
    if as_json:
        echo(json.dumps(said))
    else:
        _show(found, said)
    if out is not None:
        _draw(found, out)


def _summary(found: Stability) -> dict[str, Any]:
    margins = found.margins
    return {
        "model": found.model,
        "stable": found.stable,
        "growth_per_s": found.growth_per_s,
        "roots": [[root.real, root.imag] for root in found.roots[:ROOTS].tolist()],
        "unstable_roots": found.unstable_roots,
        "phase_margin_deg": None if margins is None else _finite(margins.phase_deg),
        "gain_margin": None if margins is None else _finite(margins.gain),
        "at_an_edge": bool(found.edges),
        "rest": {name: values.tolist() for name, values in found.rest.items()},
    }


def _finite(value: float) -> float | None:
    """Return a margin for JSON; None where it is infinite."""
    return value if math.isfinite(value) else None


def _show(found: Stability, said: dict[str, Any]) -> None:
    verdict = "stable" if found.stable else "unstable"
    grows = "decay" if found.stable else "grow"
    rate = f"{abs(found.growth_per_s):.4g}/s"
    echo(f"{found.model}, equilibrium: {verdict}; perturbations {grows} at {rate}")
    for name, values in said["rest"].items():
        echo(f"  {name}: {', '.join(f'{value:.4g}' for value in values)}")
    roots = ", ".join(f"{real:.4g} {imag:+.4g}i" for real, imag in said["roots"])
    echo(f"rightmost roots (1/s): {roots}")
    if found.margins is not None and found.stable:
        told = (
            f"{found.margins.phase_deg:.1f} degrees of phase, gain times {found.margins.gain:.3g}"
        )
        echo(f"margins: {told}")
    if found.edges:
        echo("The equilibrium lies on a switching boundary; the result holds on one side only.")


def _draw(found: Stability, out: Path) -> None:
    from headgate.figures.plots.stability import draw_stability
    from headgate.figures.plots.style import save_figure

    title = f"{found.model}, equilibrium: {'stable' if found.stable else 'unstable'}"
    phase_deg = None if found.margins is None else found.margins.phase_deg
    paths = save_figure(draw_stability(title, found.roots, found.loop, phase_deg), out, PICTURE)
    echo(f"Picture: {', '.join(str(path) for path in paths)}")
