"""The learning curve draws what a run has."""

from pathlib import Path
from typing import Any

from PIL import Image

from him.view import curve


def metrics(level: float) -> list[dict[str, Any]]:
    names = ("reward/total", "tracking/linear_error", "tracking/angular_error", "loss/velocity", "loss/contrastive")
    return [
        {
            "samples": 1e6 * i,
            "terrain/level": level * i,
            "terrain/level_stairs": 0.0,
            **{n: 1.0 / (i + 1) for n in names},
        }
        for i in range(5)
    ]


def test_levels_are_drawn_where_robots_have_any(tmp_path: Path) -> None:
    assert curve.panels(metrics(0.5))[curve.LEVELS] == ["terrain/level", "terrain/level_stairs"]
    assert curve.LEVELS not in curve.panels(metrics(0.0))
    rough = Image.open(curve.draw(metrics(0.5), tmp_path / "rough.png", "rough"))
    flat = Image.open(curve.draw(metrics(0.0), tmp_path / "flat.png", "flat"))
    assert rough.width > flat.width


def test_a_method_without_a_loss_has_a_curve_all_the_same(tmp_path: Path) -> None:
    without = [{name: value for name, value in row.items() if name != "loss/contrastive"} for row in metrics(0.5)]
    assert curve.panels(without)[curve.LOSSES] == ["loss/velocity"]
    assert curve.draw(without, tmp_path / "curve.png", "baseline").is_file()
