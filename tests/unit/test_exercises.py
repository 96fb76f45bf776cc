"""The exercises: notebooks match their sources; solutions pass, open and wrong answers fail."""

import ast
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from scripts.notebook import EXERCISES, TASK, exercise_files, read_notebook, run_notebook

NAMES = [path.stem for path in EXERCISES]
#: A wrong answer for each exercise: text of its solution, its replacement, and the answer's check.
WRONG = {
    "1_slow_start": ("(packets / 10 + 1)", "(packets / 10)", "Task 2"),
    "2_fairness": ("(3 / (2 * 0.001)) ** 0.5", "(3 / 0.001) ** 0.5", "Task 3"),
    "3_bufferbloat": ("7 / 9 * (1 + buffer_bdp)", "(1 + buffer_bdp)", "Task 2"),
    "4_aqm": ("+ 2 * wait_ms", "+ wait_ms", "Task 2"),
    "5_bbr_beside_cubic": ("8 * 40", "9 * 40", "Task 1"),
    "6_design_of_an_experiment": ("((d - c) - (b - a)) / 2", "(d - c) - (b - a)", "Task 2"),
}


def run_cells(cells: list[Any]) -> None:
    """Run code cells one after the other in this process."""
    names: dict[str, Any] = {"__name__": "exercise"}
    for cell in cells:
        exec(compile(cell.source, "cell", "exec"), names)


def code(source: Path, omit: str) -> list[Any]:
    return [cell for cell in read_notebook(source, omit).cells if cell.cell_type == "code"]


def test_there_are_six_exercises() -> None:
    assert sorted(WRONG) == NAMES


@pytest.mark.parametrize("source", EXERCISES, ids=NAMES)
def test_committed_notebooks_match_their_source(source: Path) -> None:
    for path, omitted in exercise_files(source).items():
        committed = nbformat.read(path, as_version=4)
        nbformat.validate(committed)
        made = read_notebook(source, omitted)
        assert [c.source for c in committed.cells] == [c.source for c in made.cells], path
        assert not any(c.get("outputs") for c in committed.cells)


@pytest.mark.parametrize("source", EXERCISES, ids=NAMES)
def test_a_solution_passes_every_check_in_a_kernel(source: Path) -> None:
    cells = run_notebook(source, TASK).cells
    said = "".join(o.get("text", "") for c in cells for o in c.get("outputs", ()))
    tasks = re.findall(r"^## (Task \d)", source.read_text(encoding="utf-8").replace("# ## ", "## "),
                       re.MULTILINE)  # fmt: skip
    assert len(tasks) >= 3
    for task in tasks:
        assert f"{task} is right" in said


@pytest.mark.parametrize("source", EXERCISES, ids=NAMES)
def test_an_open_task_is_named_before_anything_is_checked(source: Path) -> None:
    [exercise, _] = exercise_files(source)
    cells = code(source, exercise_files(source)[exercise])
    with pytest.raises(AssertionError, match="Task 1: fill in"):
        run_cells(cells)


@pytest.mark.parametrize("source", EXERCISES, ids=NAMES)
def test_a_wrong_answer_is_found(source: Path, tmp_path: Path) -> None:
    right, wrong, task = WRONG[source.stem]
    text = source.read_text(encoding="utf-8")
    assert text.count(right) == 1
    changed = tmp_path / source.name
    changed.write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(AssertionError, match=task):
        run_cells(code(changed, TASK))


@pytest.mark.parametrize("source", EXERCISES, ids=NAMES)
def test_an_exercise_states_goal_and_question_and_folds_its_hints(source: Path) -> None:
    [exercise, _] = exercise_files(source)
    cells = read_notebook(source, exercise_files(source)[exercise]).cells
    words = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert "**Goal.**" in words
    assert "**Question.**" in words
    assert "**To think about.**" in words
    assert words.count("<details>") == words.count("</details>") >= words.count("## Task")
    tasks = [cell.source for cell in cells if cell.cell_type == "code" and "..." in cell.source]
    assert len(tasks) >= 3


@pytest.mark.parametrize("source", EXERCISES, ids=NAMES)
def test_every_check_explains_itself(source: Path) -> None:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    checks = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    assert [node.lineno for node in checks if node.msg is None] == []


def test_a_failed_check_shows_its_sentence_in_a_notebook(tmp_path: Path) -> None:
    source = tmp_path / "one.py"
    source.write_text('# %%\nassert 1 == 2, "Task 1: one is not two."\n', encoding="utf-8")
    with pytest.raises(CellExecutionError, match="Task 1: one is not two"):
        run_notebook(source)
