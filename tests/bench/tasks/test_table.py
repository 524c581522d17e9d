"""The table and the page that explains it say the same."""

from dataclasses import fields
from pathlib import Path

import pytest

from him.bench.tasks.table import TABLE, Table

PAGE = (Path(__file__).parents[3] / "docs" / "tasks.md").read_text()


@pytest.mark.parametrize("name", [field.name for field in fields(Table)])
def test_every_figure_stands_in_the_documentation(name: str) -> None:
    value = getattr(TABLE, name)
    shown = ", ".join(f"{part:g}" for part in value) if isinstance(value, tuple) else f"{value:g}"
    assert f"| `{name}` | {shown} |" in PAGE


def test_what_was_laid_down_from_the_start() -> None:
    assert (TABLE.slope_degrees, TABLE.drag_friction, TABLE.gravel_stone) == (20.0, 0.6, 0.06)
