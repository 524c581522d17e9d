"""The page shows what was measured beside the paper's figures, and what could not be measured."""

from typing import Any

from him.bench.tasks import report
from him.bench.tasks.cells import Cell
from him.bench.tasks.registry import TASKS
from tests.bench.tasks.made_up import RuleCrew, entrant

ALL = tuple(TASKS.values())


def result(task: str, passed: int, **about: str) -> dict[str, Any]:
    cell = Cell(TASKS[task], entrant(**about), 20)
    return cell.identity() | cell.measure(RuleCrew(lambda seed, weight: seed < passed))


def cells_of(page: str, task: str) -> list[str]:
    line = next(line for line in page.splitlines() if line.startswith(f"| {task} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_row_holds_ours_and_the_papers_four_columns() -> None:
    page = report.markdown(ALL, [result("compositional", 17, name="aliengo", robot="aliengo")])
    head = cells_of(page, "task")
    assert head[3:] == ["HIM", "paper: Ours", "paper: RMA", "paper: MoB", "paper: Built-in MPC"]
    row = cells_of(page, "Compositional terrain")
    assert row == ["Compositional terrain", "aliengo", "success rate, %", "**85 [64, 94.8]**", "85", "45", "0", "0"]
    assert cells_of(page, "Long-range stairs")[3:5] == ["not run", "176.5 ± 7.81"]
    assert cells_of(page, "Payload")[3:5] == ["no policy for a1", "8"]


def test_below_the_paper_is_not_bold() -> None:
    page = report.markdown(ALL, [result("compositional", 16, name="aliengo", robot="aliengo")])
    assert cells_of(page, "Compositional terrain")[3] == "80 [58.4, 91.9]"


def test_methods_and_robots_share_columns_but_rivals_do_not() -> None:
    cells = [
        result("compositional", 20, name="aliengo", robot="aliengo"),
        result("short-stairs", 20, name="a1", robot="a1"),
        result("short-stairs", 3, name="a1-rma", robot="a1", method="rma"),
    ]
    assert list(report.columns(cells)) == ["HIM", "RMA"]
    cells.append(result("short-stairs", 3, name="a1-again", robot="a1"))
    assert list(report.columns(cells)) == ["HIM", "HIM (a1)", "RMA", "HIM (a1-again)"]


def test_the_papers_ablations_appear_with_theirs() -> None:
    page = report.markdown(ALL, [result("short-stairs", 17, name="a1-r", method="regression")])
    assert cells_of(page, "task")[-1] == "paper: Regression"
    assert cells_of(page, "Short-range stairs")[3:4] + cells_of(page, "Short-range stairs")[-1:] == [
        "**85 [64, 94.8]**",
        "85",
    ]


def test_missing_robots_are_named_with_the_remedy() -> None:
    (sentence,) = report.lacking(ALL, ["aliengo"])
    assert sentence.startswith("no policy for a1: short-stairs, deformable-slope, dragging, lateral-hit, payload")
    assert "him train a1" in sentence
    assert report.lacking(ALL, ["a1", "aliengo"]) == []


def test_policies_without_a_task_are_named() -> None:
    assert report.unused(ALL, [entrant("a1"), entrant("rex", robot="go1")]) == [
        "rex takes no part: none of these tasks is for go1."
    ]


def test_figures_in_words() -> None:
    assert report.figure("weight", {"value": 7.5, "passed": 16, "trials": 20}) == "7.5 (16 of 20)"
    assert report.figure("weight", {"value": 20.0, "passed": 20, "trials": 20}) == "at least 20 (20 of 20)"
    assert report.figure("weight", {"value": 0.0, "passed": 0, "trials": 0}) == "none"
    assert report.figure("stairs", {"value": 176.5, "interval": 7.81}) == "176.5 ± 7.81"
    assert report.figure("stairs", {"value": 3.0, "interval": None}) == "3"


def test_endings_are_listed() -> None:
    page = report.markdown(ALL, [result("short-stairs", 12, name="a1")])
    assert "| Short-range stairs | a1 | 12 passed, 8 fell |" in page
