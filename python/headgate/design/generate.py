"""Designs generated from a design file or from the name of a two-level design."""

from __future__ import annotations

import copy
import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.optional import require
from headgate.base.terminal import escape_controls, escape_formula
from headgate.design.factor import Factor, Variable, make_scenarios, round_whole_factors
from headgate.design.factorial import (
    Design,
    fold_over,
    make_factorial,
    make_grid,
    reject_repeated_runs,
)
from headgate.design.file import ANALYSED, INTERPOLATED, DesignFile, FactorTable, Kind
from headgate.design.named import make_least_aberrant, make_named_design
from headgate.design.optimal import Allowed, make_d_optimal
from headgate.design.response_surface import (
    BOX_BEHNKEN_CENTRES,
    make_box_behnken,
    make_central_composite,
    make_definitive_screening,
)
from headgate.design.sensitivity import make_morris, make_saltelli
from headgate.design.sheet import Row, Sheet, lay_out_sheet
from headgate.scenario.toml import anchor

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
#: The number of words that are printed; the JSON contains all of them.
SHOWN = 12


@dataclass(frozen=True)
class MadeDesign:
    """A design with its file and the source of its runs."""

    file: DesignFile
    design: Design
    source: str
    path: Path | None = None

    @cached_property
    def sheet(self) -> Sheet:
        """The runs in the order of execution."""
        file = self.file
        return lay_out_sheet(
            self.design,
            seed=file.seed,
            name=file.title,
            replicates=file.replicates,
            centre_points=count_centre_points(file),
            blocks=file.blocks,
            in_order=file.in_order,
        )

    def base(self) -> Scenario:
        """Read the base scenario."""
        from headgate.engine.api import Scenario

        named, folder = self.file.scenario, self.path.parent if self.path else Path()
        if not named:
            says = 'it names no scenario; write scenario = "base.toml" above the first [table]'
            raise ScenarioError(str(self.path or "design"), says)
        if isinstance(named, str):
            return Scenario.load((folder / named).resolve())
        data = copy.deepcopy(named)
        anchor(data, folder.resolve())
        return Scenario.from_file(data, str(self.path or "a design"))

    def scenarios(self, base: Scenario | None = None) -> list[Scenario]:
        """Return a scenario for each run, from `base` or the file's base. Raises ScenarioError."""
        return self.sheet.scenarios(base or self.base())

    def scenarios_of(self, rows: Sequence[Row], base: Variable) -> list[Scenario]:
        """Return `base` with the settings of each row, and with the seed of `base`."""
        return make_scenarios(self.design.factors, [self.sheet.settings(row) for row in rows], base)

    def facts(self) -> dict[str, Any]:
        """Return the properties of the design: size, resolution, words and clear effects."""
        fraction = self.design.fraction
        facts: dict[str, Any] = {
            "title": self.file.title,
            "kind": self.file.kind,
            "source": self.source,
            "factors": len(self.design.factors),
            "design_runs": len(self.design),
            "runs": len(self.sheet),
            "seed": self.file.seed,
        }
        if fraction is None:
            return facts
        clear = fraction.clear()
        return facts | {
            "resolution": fraction.resolution,
            "generating_words": self._write_generating_words(),
            "word_lengths": {str(k): n for k, n in fraction.word_lengths.items()},
            "clear_main_effects": [fraction.text(e) for e in clear if len(e) == 1],
            "clear_interactions": [fraction.text(e) for e in clear if len(e) == 2],
            "interactions": math.comb(len(self.design.factors), 2),
            "confounded_with_blocks": self.sheet.blocks,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the sheet as records: order, place in the design, and levels as in a scenario."""
        blocked = len({row.block for row in self.sheet.rows}) > 1
        return [
            {"run": order, "standard": row.standard}
            | ({"block": row.block} if blocked else {})
            | ({"replicate": row.replicate} if self.file.replicates > 1 else {})
            | {f.name: f.level(c) for f, c in zip(self.design.factors, row.coded, strict=True)}
            for order, row in enumerate(self.sheet.rows, 1)
        ]

    def csv(self) -> str:
        """Return the sheet with coded levels for R's FrF2 and JMP; `#` starts a comment."""
        out = io.StringIO()
        for line in self._write_comments():
            out.write(escape_formula(f"# {escape_controls(line)}") + "\n")
        names = [f.name for f in self.design.factors]
        writer = csv.writer(out, lineterminator="\n")
        head = [key for key in self.rows()[0] if key not in names]
        writer.writerow(map(escape_formula, [*head, *names]))
        for record, row in zip(self.rows(), self.sheet.rows, strict=True):
            said = (escape_formula(str(record[key])) for key in head)
            writer.writerow([*said, *(f"{c:g}" for c in row.coded)])
        return out.getvalue()

    def _repr_html_(self) -> str:
        """Show the confounding of the design and its runs in a notebook."""
        rows = self.rows()
        head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row.values()) + "</tr>"
            for row in rows
        )
        said = "<br>".join(escape(line) for line in describe_design(self))
        return f"<p>{said}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _write_generating_words(self) -> list[str]:
        fraction = self.design.fraction
        if fraction is None:
            return []
        return [fraction.text(w.effect, w.sign) for w in fraction.generating_words]

    def _write_comments(self) -> list[str]:
        lines = [self.file.title, f"{self.file.kind}: {self.source}"]
        if words := self._write_generating_words():
            lines.append(f"generating words, each I = {', I = '.join(words)}")
        for factor in self.design.factors:
            levels = factor.levels or (factor.low, factor.high)
            if factor.setting != factor.name or levels != (-1, 1):
                coded = np.linspace(-1, 1, len(levels))
                shown = ", ".join(f"{one} ({c:g})" for one, c in zip(levels, coded, strict=True))
                lines.append(f"{factor.name}: {factor.setting} = {shown}")
        return [line for line in lines if line]


def describe_design(made: MadeDesign) -> list[str]:
    """Return a few lines on the kind, the size and the confounding of a design."""
    facts, fraction = made.facts(), made.design.fraction
    repeats = f", {facts['runs']} with repeats" * (facts["runs"] != facts["design_runs"])
    runs = f"{facts['design_runs']} runs{repeats}"
    said = [f"{facts['title']}: {facts['kind']}, {facts['factors']} factors, {runs}", made.source]
    if fraction is None:
        return said
    if fraction.resolution is None:
        return [*said, "full: no effect is confounded with another"]
    lengths = ", ".join(f"{j}: {n}" for j, n in fraction.word_lengths.items())
    words = facts["generating_words"]
    relation = " = ".join(["I", *words[:SHOWN], *["..."] * (len(words) > SHOWN)])
    main, pairs = facts["clear_main_effects"], facts["clear_interactions"]
    return [
        *said,
        f"resolution {_write_roman(fraction.resolution)}; defining words by length {lengths}",
        relation + ", and their products" * (len(words) > 1),
        f"clear of aliases up to two factors: {len(main)} of {facts['factors']} main effects, "
        f"{len(pairs)} of {facts['interactions']} interactions",
        *(f"blocks: {', '.join(e)} by {by}" for by, e in made.sheet.blocks.items()),
    ]


def _write_roman(number: int) -> str:
    return ROMAN[number - 1] if number <= len(ROMAN) else str(number)


def load_design(source: str | Path) -> MadeDesign:
    """Read a design file, or make the two-level design with this name. Raises ScenarioError."""
    text = str(source)
    if text.startswith(("2^", "2**")):
        design, origin = make_named_design(text)
        tables = {f.name: FactorTable(low=-1, high=1) for f in design.factors}
        return MadeDesign(DesignFile(title=text, design=text, factors=tables), design, origin)
    file = DesignFile.load(text)
    try:
        return make_design(file, Path(text))
    except ScenarioError:
        raise
    except HeadgateError as error:
        raise ScenarioError(text, str(error)) from None


def make_design(
    file: DesignFile,
    path: Path | None = None,
    given: Variable | None = None,
    allowed: Allowed | None = None,
) -> MadeDesign:
    """Make the design of a file; `given` is the base scenario unless the file names one.

    Interpolated levels are whole numbers if the base accepts no others. `allowed` limits the
    combinations of which a D-optimal design consists.
    """
    if file.kind in ANALYSED:
        require("analysis", f"a {file.kind} design")
    if file.kind == "d-optimal":
        design, source = _make_d_optimal(file, allowed)
    else:
        design, source = _MAKERS[file.kind](file)
    if file.kind in INTERPOLATED or file.centre_points:
        base = given or (MadeDesign(file, design, source, path).base() if file.scenario else None)
        design = replace(design, factors=round_whole_factors(design.factors, base))
    if file.foldover:
        on = file.foldover if isinstance(file.foldover, tuple) else ()
        reject_repeated_runs(design, on)
        design = fold_over(design, on)
        source += f"; folded over on {', '.join(on) or 'all factors'}"
    made = MadeDesign(file, design, source, path)
    _ = made.sheet  # raises for wrong blocks and centre points
    return made


def _make_two_level(file: DesignFile) -> tuple[Design, str]:
    factors = _require_two_levels(file)
    if file.design:
        return make_named_design(file.design, factors)
    if file.runs is not None:
        if file.runs < 2 or file.runs & (file.runs - 1):
            raise HeadgateError(
                f"runs = {file.runs}: a two-level fraction needs a power of two, at least 2"
            )
        return make_least_aberrant(factors, file.runs.bit_length() - 1)
    rules = file.generators if isinstance(file.generators, dict) else {}
    return make_factorial(factors, rules), "generators as given" if rules else "full factorial"


def _require_two_levels(file: DesignFile) -> list[Factor]:
    factors = file.make_factors()
    for factor in factors:
        if factor.levels:
            raise HeadgateError(
                f"factors.{factor.name}.levels: a {file.kind} design needs two levels per factor,"
                f" not {len(factor.levels)}; for more, such as several congestion control"
                " algorithms, move the factor of an experiment to [crossed]"
            )
    return factors


def _make_plackett_burman(file: DesignFile) -> tuple[Design, str]:
    from headgate.design.external import make_plackett_burman

    return make_plackett_burman(_require_two_levels(file)), "Plackett and Burman 1946, by pydoe"


def _make_orthogonal_array(file: DesignFile) -> tuple[Design, str]:
    from headgate.design.external import make_orthogonal_array

    design, title = make_orthogonal_array(file.make_factors(), file.array)
    return design, f"{title}, by pydoe"


def _draw_sample(file: DesignFile) -> tuple[Design, str]:
    from headgate.design import external

    draw, source = {
        "latin-hypercube": (external.sample_latin_hypercube, "Latin hypercube, by SciPy"),
        "sobol": (external.sample_sobol, "scrambled Sobol sequence, by SciPy"),
        "random": (external.sample_uniformly, "independent random points"),
    }[file.kind]
    return draw(file.make_factors(), file.runs or 0, file.seed), source


def count_centre_points(file: DesignFile) -> int:
    """Return the number of centre points per block: as the file says, or as is usual."""
    if file.centre_points is not None:
        return file.centre_points
    return _count_usual_centres(file) if file.repeats_centre else 0


def _count_usual_centres(file: DesignFile) -> int:
    count = len(file.factors)
    if file.kind == "central-composite":
        return 3 if file.shape == "faced" else max(count + 2, 5)
    return BOX_BEHNKEN_CENTRES.get(count, 0) if file.kind == "box-behnken" else 0


def _with_centre(design: Design, file: DesignFile) -> Design:
    """Return the design with its centre among the runs, unless the centre is repeated."""
    if file.repeats_centre or file.centre_points == 0:
        return design
    return replace(design, matrix=np.vstack([design.matrix, np.zeros(len(design.factors))]))


def _make_definitive_screening(file: DesignFile) -> tuple[Design, str]:
    design = make_definitive_screening(file.make_factors(), file.fake_factors)
    return design, f"Jones and Nachtsheim 2011, by pydoe, with {file.fake_factors} fake factors"


def _make_central_composite(file: DesignFile) -> tuple[Design, str]:
    centres = count_centre_points(file)
    design, source = make_central_composite(
        file.make_factors(), file.shape, file.alpha, centres or 1, file.design
    )
    return _with_centre(design, file), source


def _make_box_behnken(file: DesignFile) -> tuple[Design, str]:
    return _with_centre(make_box_behnken(file.make_factors()), file), "Box and Behnken 1960"


def _make_d_optimal(file: DesignFile, allowed: Allowed | None) -> tuple[Design, str]:
    return make_d_optimal(
        file.make_factors(), file.runs or 0, file.model, file.constraints, allowed, file.seed
    )


def _make_morris(file: DesignFile) -> tuple[Design, str]:
    made = make_morris(file.make_factors(), file.trajectories, file.grid_levels, file.seed)
    said = f"{file.trajectories} trajectories on {file.grid_levels} levels (Morris 1991)"
    return made, said


def _make_saltelli(file: DesignFile) -> tuple[Design, str]:
    samples, count = file.samples or 0, len(file.factors)
    made = make_saltelli(file.make_factors(), samples, file.seed)
    return made, f"{samples} samples of {count} + 2 runs (Saltelli et al. 2010)"


_MAKERS: Mapping[Kind, Callable[[DesignFile], tuple[Design, str]]] = {
    "two-level": _make_two_level,
    "grid": lambda file: (make_grid(file.make_factors()), "every combination of all levels"),
    "plackett-burman": _make_plackett_burman,
    "orthogonal-array": _make_orthogonal_array,
    "latin-hypercube": _draw_sample,
    "sobol": _draw_sample,
    "random": _draw_sample,
    "definitive-screening": _make_definitive_screening,
    "central-composite": _make_central_composite,
    "box-behnken": _make_box_behnken,
    "morris": _make_morris,
    "saltelli": _make_saltelli,
}
