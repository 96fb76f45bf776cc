"""A design as asked for: of a design file, or by its name, made into runs."""

from __future__ import annotations

import copy
import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.terminal import escape_controls, escape_formula
from headgate.design.factor import Factor
from headgate.design.factorial import Design, grid, make_factorial
from headgate.design.file import SAMPLES, DesignFile, FactorTable, basic_of
from headgate.design.foldover import foldover, refuse_the_same_runs
from headgate.design.named import design_of_name, least_aberrant
from headgate.design.scenarios import scenarios, take_whole_levels
from headgate.design.sheet import Row, Sheet, sheet
from headgate.scenario.toml import anchor

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
#: Words and aliases that are printed before "and so on"; all of them are in the JSON.
SHOWN = 12


@dataclass(frozen=True)
class MadeDesign:
    """A design with the file that asks for it, and where its runs are from."""

    file: DesignFile
    design: Design
    source: str
    path: Path | None = None

    @cached_property
    def sheet(self) -> Sheet:
        """The runs, in the order in which to make them."""
        file = self.file
        return sheet(
            self.design,
            seed=file.seed,
            name=file.title,
            replicates=file.replicates,
            centre_points=file.centre_points,
            blocks=file.blocks,
            in_order=file.in_order,
        )

    def base(self) -> Scenario:
        """Read the scenario that is varied."""
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
        """Return one scenario a run, of `base` or of the file's own. Raises ScenarioError."""
        return self.sheet.scenarios(base or self.base())

    def scenarios_of(self, rows: Sequence[Row], base: Scenario) -> list[Scenario]:
        """Return `base` with the settings of each row, whichever its replicate."""
        return scenarios(self.design.factors, [self.sheet.settings(row) for row in rows], base)

    def facts(self) -> dict[str, Any]:
        """Return what is known of the design: size, resolution, words, what is clear."""
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
        generating = [fraction.text(w.effect, w.sign) for w in fraction.generating_words]
        clear = fraction.clear()
        pairs = len(self.design.factors) * (len(self.design.factors) - 1) // 2
        return facts | {
            "resolution": fraction.resolution,
            "generating_words": generating,
            "word_lengths": {str(k): n for k, n in fraction.word_lengths.items()},
            "clear_main_effects": [fraction.text(e) for e in clear if len(e) == 1],
            "clear_interactions": [fraction.text(e) for e in clear if len(e) == 2],
            "interactions": pairs,
            "confounded_with_blocks": self.sheet.blocks,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the sheet as records: order, place in the design, settings in their own words."""
        blocked = len({row.block for row in self.sheet.rows}) > 1
        return [
            {"run": order, "standard": row.standard}
            | ({"block": row.block} if blocked else {})
            | ({"replicate": row.replicate} if self.file.replicates > 1 else {})
            | {f.name: f.level(c) for f, c in zip(self.design.factors, row.coded, strict=True)}
            for order, row in enumerate(self.sheet.rows, 1)
        ]

    def csv(self) -> str:
        """Return the sheet with coded levels, as R's FrF2 and JMP read it; `#` begins a comment."""
        out = io.StringIO()
        for line in self._comments():
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
        """Show the design in a notebook: what it confounds, and its runs."""
        rows = self.rows()
        head = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row.values()) + "</tr>"
            for row in rows
        )
        said = "<br>".join(escape(line) for line in lines(self))
        return f"<p>{said}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _comments(self) -> list[str]:
        fraction = self.design.fraction
        lines = [self.file.title, f"{self.file.kind}: {self.source}"]
        if fraction is not None and fraction.generating_words:
            words = [fraction.text(w.effect, w.sign) for w in fraction.generating_words]
            lines.append(f"generating words, each I = {', I = '.join(words)}")
        for factor in self.design.factors:
            if factor.setting != factor.name:
                levels = factor.levels or (factor.low, factor.high)
                shown = ", ".join(str(level) for level in levels)
                lines.append(f"{factor.name}: {factor.setting} = {shown}")
        return [line for line in lines if line]


def lines(made: MadeDesign) -> list[str]:
    """Say in a few lines what a design is and what it confounds."""
    facts, fraction = made.facts(), made.design.fraction
    runs = f"{facts['design_runs']} runs" + f", {facts['runs']} with repeats" * (
        facts["runs"] != facts["design_runs"]
    )
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
        f"resolution {roman(fraction.resolution)}; defining words by length {lengths}",
        relation + ", and their products" * (len(words) > 1),
        f"clear of each other up to two factors: {len(main)} of {facts['factors']} main effects, "
        f"{len(pairs)} of {facts['interactions']} interactions",
        *(f"blocks: {', '.join(e)} by {by}" for by, e in made.sheet.blocks.items()),
    ]


def roman(number: int) -> str:
    """Write a resolution as handbooks do."""
    return ROMAN[number - 1] if number <= len(ROMAN) else str(number)


def load_design(source: str | Path) -> MadeDesign:
    """Read a design file, or take a two-level design by its name. Raises ScenarioError."""
    text = str(source)
    if text.startswith(("2^", "2**")):
        design, origin = design_of_name(text)
        tables = {f.name: FactorTable(low=-1, high=1) for f in design.factors}
        return MadeDesign(DesignFile(title=text, design=text, factors=tables), design, origin)
    file = DesignFile.load(text)
    try:
        return make(file, Path(text))
    except ScenarioError:
        raise
    except HeadgateError as error:
        raise ScenarioError(text, str(error)) from None


def make(file: DesignFile, path: Path | None = None, given: Scenario | None = None) -> MadeDesign:
    """Make the design that a design file asks for; `given` is its base, unless the file names it.

    Levels between two others are whole numbers where the base takes no others.
    """
    design, source = _KINDS[file.kind](file)
    if file.kind in SAMPLES or file.centre_points:
        base = given or (MadeDesign(file, design, source, path).base() if file.scenario else None)
        design = replace(design, factors=take_whole_levels(design.factors, base))
    if file.foldover:
        on = file.foldover if isinstance(file.foldover, tuple) else ()
        refuse_the_same_runs(design, on)
        design = foldover(design, on)
        source += f"; folded over on {', '.join(on) or 'all factors'}"
    made = MadeDesign(file, design, source, path)
    _ = made.sheet  # wrong blocks and centre points are refused now
    return made


def _two_level(file: DesignFile) -> tuple[Design, str]:
    factors = _with_two_levels(file)
    if file.design:
        return design_of_name(file.design, factors)
    if file.runs is not None:
        return least_aberrant(factors, basic_of(file.runs))
    rules = file.generators if isinstance(file.generators, dict) else {}
    return make_factorial(factors, rules), "generators as given" if rules else "full factorial"


def _with_two_levels(file: DesignFile) -> list[Factor]:
    factors = file.make_factors()
    for factor in factors:
        if factor.levels:
            raise HeadgateError(
                f"factors.{factor.name}.levels: a {file.kind} design takes two levels of each"
                f" factor, and these are {len(factor.levels)}; it cannot be crossed with more"
                ' levels, such as several laws: write kind = "grid", and in an experiment the'
                " combinations to keep as `where`"
            )
    return factors


def _grid(file: DesignFile) -> tuple[Design, str]:
    return grid(file.make_factors()), "every combination of all levels"


def _plackett_burman(file: DesignFile) -> tuple[Design, str]:
    from headgate.design.screening import plackett_burman

    return plackett_burman(_with_two_levels(file)), "Plackett and Burman 1946, by pydoe"


def _orthogonal_array(file: DesignFile) -> tuple[Design, str]:
    from headgate.design.screening import orthogonal_array

    design, title = orthogonal_array(file.make_factors(), file.array)
    return design, f"{title}, by pydoe"


def _latin_hypercube(file: DesignFile) -> tuple[Design, str]:
    from headgate.design.samples import latin_hypercube

    return latin_hypercube(
        file.make_factors(), file.runs or 0, file.seed
    ), "Latin hypercube, by SciPy"


def _sobol(file: DesignFile) -> tuple[Design, str]:
    from headgate.design.samples import sobol

    return sobol(
        file.make_factors(), file.runs or 0, file.seed
    ), "scrambled Sobol sequence, by SciPy"


def _random(file: DesignFile) -> tuple[Design, str]:
    from headgate.design.samples import uniform

    return uniform(file.make_factors(), file.runs or 0, file.seed), "independent random points"


_KINDS = {
    "two-level": _two_level,
    "grid": _grid,
    "plackett-burman": _plackett_burman,
    "orthogonal-array": _orthogonal_array,
    "latin-hypercube": _latin_hypercube,
    "sobol": _sobol,
    "random": _random,
}
