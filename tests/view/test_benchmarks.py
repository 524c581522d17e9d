"""The benchmarks' figures: everything asked for is drawn, with its name and its units."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from him.bench import ablation as curves
from him.bench import comparison, runs
from him.view import ablation, contrastive, latent, style, tracking
from tests.bench import trained
from tests.bench.measured import record
from tests.bench.test_contrastive_study import measured


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Figure]]:
    """Figures stay open until the test has looked at them."""
    figures: list[Figure] = []
    save = style.save

    def keep(figure: Figure, path: Path, dpi: int = 110) -> Path:
        figures.append(figure)
        with monkeypatch.context() as patch:
            patch.setattr(plt, "close", lambda figure: None)
            return save(figure, path, 40)

    monkeypatch.setattr(style, "save", keep)
    yield figures
    plt.close("all")


def drawn(path: Path) -> None:
    """The file is a picture with something on it."""
    pixels = np.asarray(Image.open(path).convert("L"))
    assert (pixels < 128).mean() > 0.001


def labels(figure: Figure) -> set[str]:
    legends = [*figure.legends, *filter(None, (ax.get_legend() for ax in figure.axes))]
    return {text.get_text() for legend in legends for text in legend.get_texts()}


def test_tracking_errors(tmp_path: Path, kept: list[Figure]) -> None:
    found = [record(tmp_path, name, 1.0) for name in ("him", "rma", "oracle")]
    drawn(tracking.draw(comparison.table(found), tmp_path / "deep" / "t.png"))
    (figure,) = kept
    assert labels(figure) == {"HIM", "RMA", "Oracle"}
    assert [ax.get_title() for ax in figure.axes[:4]] == ["slope", "rough slope", "stairs", "obstacles"]
    assert figure.axes[0].get_ylabel() == "linear error, m/s"
    assert figure.axes[4].get_ylabel() == "angular error, rad/s"
    hollow = [line for line in figure.axes[0].get_lines() if line.get_fillstyle() == "none"]
    assert len(hollow) == 4 * 2, "four rows, printed for two methods"


def test_learning_curves(tmp_path: Path, kept: list[Figure]) -> None:
    found = [runs.read(trained.run(tmp_path / f"him-{seed}", "him", seed)) for seed in range(3)]
    found.append(runs.read(trained.run(tmp_path / "oracle", "oracle")))
    found += [runs.read(trained.run(tmp_path / f"p{n}", samples=10**8, prototypes=n)) for n in (8, 16, 64)]
    result = curves.result(found, "aliengo")
    drawn(ablation.draw(result["methods"], tmp_path / "c.png", "aliengo"))
    drawn(ablation.draw_prototypes(result["prototypes"], tmp_path / "p.png", "aliengo"))
    first, second = kept
    assert labels(first) == {"HIM", "Oracle"}
    assert set(ablation.PANELS) == set(curves.METRICS), "what is measured is what is drawn"
    wide = {line.get_label(): line.get_linewidth() for line in first.axes[0].get_lines()}
    assert wide["HIM"] > wide["Oracle"], "one seed is a thin line"
    assert len(first.axes[0].collections) == 1, "and has no band"
    assert [tick.get_text() for tick in second.axes[1].get_xticklabels()] == ["8", "16", "64"]


def test_latents(tmp_path: Path, kept: list[Figure]) -> None:
    score = {"score": 0.5, "low": 0.4, "high": 0.6}
    probes = {name: {"latent": score, "history": score} for name in latent.PROBES}

    def about(title: str) -> dict[str, Any]:
        return {"title": title, "silhouette": {"latent": 0.12}, "probes": probes}

    place = {"place": np.random.default_rng(0).normal(size=(40, 2)).tolist(), "terrain": [0, 1, 2, 3] * 10}
    policies = {"him": about("HIM"), "regression": about("Regression")}
    result = {"robot": "aliengo", "terrains": ["slope", "rough_slope", "stairs", "obstacles"], "policies": policies}
    drawn(latent.draw(result | {"pictures": {"him": place, "regression": place}}, tmp_path / "l.png"))
    (figure,) = kept
    assert figure.axes[0].get_title() == "HIM: silhouette 0.12"
    assert [len(cloud.get_offsets()) for cloud in figure.axes[1].collections] == [10] * 4
    assert len(figure.axes[2].patches) == 2 * len(latent.PROBES)


def test_the_contrastive_study(tmp_path: Path, kept: list[Figure]) -> None:
    from him.bench.contrastive_study import study

    variants = [measured(f"r{n}", n / 20, temperature=0.1 * (n + 1), probes=None) for n in range(14)]
    drawn(contrastive.draw(study(variants, tmp_path), tmp_path / "s.png"))
    (figure,) = kept
    assert len(labels(figure)) == 14
    (panel,) = figure.axes
    assert panel.get_title() == contrastive.PANELS["velocity_loss"], "nothing was tracked, and nothing probed"
    assert len({(line.get_color(), line.get_marker()) for line in panel.get_lines()}) == 14
