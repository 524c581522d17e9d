"""The paper's figures, by what can be checked about them."""

from him.bench.tasks.printed import COLUMNS, PRINTED, Figure
from him.bench.tasks.registry import TASKS


def test_every_task_has_every_column() -> None:
    assert list(PRINTED) == list(TASKS)
    assert all(tuple(row) == COLUMNS for row in PRINTED.values())


def test_the_figures_to_reach() -> None:
    assert [row["him"].value for row in PRINTED.values()] == [100, 176.5, 85, 55, 10, 8, 8, 100]


def test_ours_is_never_below_another_method() -> None:
    """As the paper says of its results."""
    assert all(row["him"].value >= figure.value for row in PRINTED.values() for figure in row.values())


def test_figures_are_shown_as_printed() -> None:
    assert (str(Figure(176.5, 7.81)), str(Figure(85))) == ("176.5 ± 7.81", "85")
