"""The documentation's notebook runs in a real kernel, and what is committed is what it shows."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from scripts.notebook import SOURCE, read_notebook, run_notebook

COMMITTED = SOURCE.with_suffix(".ipynb")
LONG = """
import headgate
flows = ["reno"] * 20
made = headgate.dumbbell(rate="1 Gbit/s", rtt="40 ms", flows=flows).run("900 s", out="run")
"""


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shapes(notebook: Any) -> list[list[tuple[str, int, int, int]]]:
    """Of each cell's outputs: the kind, and the pictures, tables and bars in it."""
    return [
        [
            (
                output.output_type,
                *(
                    len(re.findall(tag, output.get("data", {}).get("text/html", "")))
                    for tag in ("<svg .*viewBox", "<table", "<progress")
                ),
            )
            for output in cell.outputs
        ]
        for cell in code_cells(notebook)
    ]


@pytest.fixture(scope="module")
def executed() -> Any:
    return run_notebook(SOURCE)


def test_the_committed_page_matches_its_source(executed: Any) -> None:
    committed = nbformat.read(COMMITTED, as_version=4)
    sources = [cell.source for cell in read_notebook(SOURCE).cells]
    assert [cell.source for cell in committed.cells] == sources, "run `make notebook`"
    assert shapes(committed) == shapes(executed), "run `make notebook`"


def test_scenario_result_and_experiment_have_pictures_and_runs_a_bar(executed: Any) -> None:
    shown = [output for cell in shapes(executed) for output in cell]
    assert {kind for kind, *_ in shown} == {"execute_result", "display_data"}
    assert sum(bars for *_, bars in shown) >= 2
    scenario, (_, result), *_, experiment, found = shapes(executed)
    for (_, pictures, tables, _), *_ in (scenario, [result], experiment, found[-1:]):
        assert pictures == 1
        assert tables


def test_a_bar_that_is_full_is_what_is_left_of_a_run(executed: Any) -> None:
    bar = code_cells(executed)[1].outputs[0].data["text/html"]
    assert 'value="1.0000"' in bar
    assert "20.0 of 20.0 s simulated" in bar


def test_to_interrupt_the_kernel_is_a_keyboard_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    manager, client = start_new_kernel()
    try:
        asked = client.execute(LONG)
        while "simulated" not in str(client.get_iopub_msg(timeout=60)["content"]):
            pass  # until the bar moves
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=60)
        while reply["parent_header"].get("msg_id") != asked:
            reply = client.get_shell_msg(timeout=60)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert "the same command resumes it" in reply["content"]["evalue"]
    assert (tmp_path / "run" / "snapshot.bin").is_file()
