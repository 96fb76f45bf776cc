"""Interactive pictures show what those beside the page show, in the same colours."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import pytest
import vl_convert
from matplotlib.colors import to_hex, to_rgb

import headgate
from headgate.figures.analysis.whole import TableAnalysis, analyse_table
from headgate.figures.plots import conditions as static_changes
from headgate.figures.plots import similarity as static_correlations
from headgate.figures.plots.palette import SIGNED, SMALL, VERDICT
from headgate.figures.plots.style import colours
from headgate.figures.spec.kinds import KINDS
from headgate.figures.spec.run import Run
from headgate.figures.vega import CHARTS, changes, correlations, effects, outliers, runs, style
from headgate.figures.vega.data import SOURCES, to_json_value
from headgate.figures.vega.runs import make_specs
from headgate.figures.vega.style import AWAY, NONE
from headgate.stats.outliers import FILTER_SHARE

from .made_reports import FACTORS, roles, table

VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
Row = dict[str, Any]


@pytest.fixture(scope="module")
def found() -> TableAnalysis:
    rows = table()
    return analyse_table({name: [row[name] for row in rows] for name in rows[0]}, roles())


def rows_of(found: TableAnalysis, spec: Mapping[str, Any], **chosen: str) -> list[Row]:
    """Give the rows that a picture gets, as far as the choices let them through."""
    rows = [
        {k: to_json_value(v) for k, v in row.items()}
        for row in SOURCES[spec["usermeta"]["data"]](found)
    ]
    return [row for row in rows if all(row.get(k) == v for k, v in chosen.items())]


def marks(
    found: TableAnalysis, draw: Callable[[TableAnalysis], dict[str, Any]], **chosen: str
) -> Iterator[tuple[str, ET.Element]]:
    """Draw a picture as the page does; yield what each mark is called, and the mark."""
    spec = draw(found)
    for param in spec["params"]:
        param["value"] = chosen.get(param["name"], param.get("value", ""))
    spec["datasets"] = {spec["usermeta"]["data"]: rows_of(found, spec)}
    spec["config"] = {**spec["config"], "background": "white"}
    svg = vl_convert.vegalite_to_svg(spec, vl_version=VERSION)
    for element in ET.fromstring(svg).iter():
        called = element.get("aria-label", "")
        if element.tag.endswith("path") and element.get("role") == "graphics-symbol":
            yield called, element


def rgb(colour: str) -> tuple[float, ...]:
    if numbers := re.fullmatch(r"rgb\((\d+), ?(\d+), ?(\d+)\)", colour):
        return tuple(int(number) / 255 for number in numbers.groups())
    return to_rgb(colour)


def opacity(mark: ET.Element) -> float:
    return float(mark.get("opacity", 1))


def label(row: Row, *keys: tuple[str, str]) -> str:
    return "; ".join(f"{title}: {row[key]}" for key, title in keys)


def test_a_change_has_the_colour_that_it_has_beside_the_page(found: TableAnalysis) -> None:
    chosen = {"period": "2", "cca": "fast"}
    drawn = dict(marks(found, changes, **chosen))
    rows = rows_of(found, changes(found), **chosen)
    cells = next(o for o in found.of("changes") if o.part.period == "2").result.cells
    assert len(drawn) == len(rows) == 8 * 6
    known = [row for row in rows if row["known"]]
    assert 0 < len(known) < len(rows)
    assert min(row["change"] for row in known) < 0 < max(row["change"] for row in known)
    for row in rows:
        mark = _called(drawn, f"code: {row['condition']}", f"title: {row['title']};")
        way = found.roles.worse.get(row["response"])
        sign = None if way is None else 1 if way == "more" else -1
        beside = static_changes._change_face(cells["fast", row["condition"], row["response"]], sign)
        assert opacity(mark) == 1.0
        if row["known"]:
            assert rgb(mark.get("fill", "")) == pytest.approx(beside[:3], abs=0.02)
        else:
            assert mark.get("fill") == NONE
            assert to_hex(beside) == "#f4f4f4"


def _called(drawn: Mapping[str, ET.Element], *parts: str) -> ET.Element:
    (mark,) = [m for name, m in drawn.items() if all(part in f"{name};" for part in parts)]
    return mark


def test_what_is_not_chosen_steps_back_and_what_is_chosen_does_not(found: TableAnalysis) -> None:
    one = "X1- X2- X3-"
    drawn = marks(found, changes, period="2", cca="fast", condition=one)
    for name, mark in drawn:
        assert opacity(mark) == (1.0 if one in name else AWAY)


def test_a_small_outlier_is_faint_as_beside_the_page(found: TableAnalysis) -> None:
    rows = rows_of(found, outliers(found), period="2")
    small = [row for row in rows if abs(row["relative"]) < FILTER_SHARE]
    assert 0 < len(small) < len(rows)
    colour = colours(found.all_periods.cells.ccas)
    drawn = dict(marks(found, outliers, period="2"))
    for row in rows:
        mark = _called(drawn, f"code: {row['condition']}", f"title: {row['title']};")
        assert opacity(mark) == (SMALL if row in small else 1.0)
        assert rgb(mark.get("fill", "")) == pytest.approx(to_rgb(colour[row["cca"]]), abs=0.01)


def test_a_correlation_has_the_colour_and_the_sign_that_it_has_beside_the_page(
    found: TableAnalysis,
) -> None:
    result = found.of("correlations")[0].result
    faces = static_correlations._faces(result.r)
    drawn = dict(marks(found, correlations))
    signs = set()
    for i, one in enumerate(result.responses):
        for j, other in enumerate(result.responses[i + 1 :], i + 1):
            first, second = found.roles.title(one), found.roles.title(other)
            mark = _called(drawn, f"title: {first};", f"other_title: {second};")
            assert rgb(mark.get("fill", "")) == pytest.approx(tuple(faces[i, j, :3]), abs=0.02)
            signs.add(result.r[i, j] > 0)
    assert signs == {True, False}


def test_effects_have_the_colours_of_their_stars(found: TableAnalysis) -> None:
    from headgate.figures.plots.effects import _shade

    drawn = [(n, m) for n, m in marks(found, effects, period="2") if "significance" in n]
    effect = next(o for o in found.of("main-effects") if o.part.period == "2").result
    starred = [e for r in effect.responses for e in effect.of_response(r) if e.stars]
    assert len(drawn) == len(starred) > 3
    expected = sorted(to_hex(_shade(one)) for one in starred)
    assert sorted(to_hex(rgb(mark.get("fill", ""))) for _, mark in drawn) == expected


def test_worse_is_orange_better_purple_more_green_and_less_pink() -> None:
    worse, better, more, less = (of.colour(at) for of in (VERDICT, SIGNED) for at in (0.8, -0.8))
    assert worse[0] > worse[1] > worse[2]
    assert better[2] > better[0] > better[1]
    assert more[1] > max(more[0], more[2])
    assert less[0] > less[2] > less[1]
    for palette in (VERDICT, SIGNED):
        assert palette.colour(0.0) == pytest.approx((0.97, 0.97, 0.97, 1), abs=0.01)
        assert palette.colour(7.0) == palette.colour(1.0)


def texts(spec: dict[str, Any], rows: list[Row]) -> list[str]:
    """Draw a picture; return its texts, each line by itself."""
    svg = vl_convert.vegalite_to_svg(
        {**spec, "datasets": {spec["usermeta"]["data"]: rows}}, vl_version=VERSION
    )
    return [element.text or "" for element in ET.fromstring(svg).iter() if element.text]


def test_conditions_with_many_words_have_a_row_of_marks_for_each_factor() -> None:
    rows = table()
    long = {f: {"1": f"{f} high " + "x" * 20, "-1": f"{f} low"} for f in FACTORS}
    named = roles().model_copy(update={"levels": long})
    made = analyse_table({name: [row[name] for row in rows] for name in rows[0]}, named)
    shown = texts(changes(made), rows_of(made, changes(made)))
    assert shown.count("●") == shown.count("○") == 3 * 8 / 2
    assert "number, by congestion" in shown
    for factor in FACTORS:
        assert f"● {long[factor]['1']}   ○ {long[factor]['-1']}" in shown


def test_conditions_in_few_words_have_no_marks(found: TableAnalysis) -> None:
    shown = texts(changes(found), rows_of(found, changes(found)))
    assert not {"●", "○", "number, by congestion"} & set(shown)


@pytest.mark.parametrize("name", [name for charts in CHARTS.values() for name in charts])
def test_every_test_of_a_picture_is_in_it(
    found: TableAnalysis, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Altair forgets a condition whose `otherwise` is one too: all that were asked are there."""
    asked: list[str] = []
    when = alt.when

    def noted(test: Any, *rest: Any, **options: Any) -> Any:
        asked.append(str(test))
        return when(test, *rest, **options)

    monkeypatch.setattr(alt, "when", noted)
    draw = next(charts[name] for charts in CHARTS.values() if name in charts)
    text = str(draw(found)).replace("\\'", "'")
    assert [test for test in asked if test.replace("\\'", "'") not in text] == []


def test_altair_finds_nothing_wrong_with_any_specification(
    found: TableAnalysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program leaves Altair's checks to this test: they take half of the time of a page."""
    flows = ["reno", {"kind": "poisson", "cca": "cubic", "load": 0.1, "size": "9 packets"}]
    made = headgate.dumbbell(rate="20 Mbit/s", rtt="40 ms", flows=flows).run("4 s")
    drawings = [kind.draw([Run("", made.tables, made.meta)]) for kind in KINDS]

    def draw_all() -> list[dict[str, Any]]:
        specs = [draw(found) for charts in CHARTS.values() for draw in charts.values()]
        return specs + [spec for one in drawings if one for spec in make_specs(one)]

    unchecked = draw_all()
    assert len(unchecked) > 15
    for module in (style, runs):
        monkeypatch.setattr(module, "specify", lambda draw: draw().to_dict())
    assert draw_all() == unchecked
