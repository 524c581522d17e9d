"""The table of the contrastive study."""

from pathlib import Path
from typing import Any

import pytest

from him.bench.contrastive_study import errors, label, markdown, row, study
from tests.bench.measured import record


def measured(run: str, share: float, **more: Any) -> dict[str, Any]:
    state = {"share": share, "contrastive_loss": 1.0, "agreement": 0.5, "chosen": 3.0, "velocity_loss": 0.01}
    score = {"latent": {"score": 0.7}}
    base = {"temperature": 0.1, "over_prototypes": "sum", "contrastive_weight": 1.0}
    base |= {"prototypes": 16, "target_input": "frame"}
    probes = {name: score for name in ("terrain", "level", "friction", "payload")}
    known = {"run": run, "uniform": 3.0, "floor": 0.5, "start": state, "end": state, "probes": probes}
    return base | known | more


def test_variants_are_told_apart_in_a_few_signs() -> None:
    assert label(measured("a", 0.5)) == "τ 0.1, sum, ×1"
    assert label(measured("a", 0.5, temperature=3.0, over_prototypes="mean")) == "τ 3, mean, ×1"
    assert label(measured("a", 0.5, prototypes=64)) == "τ 0.1, sum, ×1, K 64"
    assert label(measured("a", 0.5, target_input="response")) == "τ 0.1, sum, ×1, response"


def test_the_loss_is_told_between_its_bounds(tmp_path: Path) -> None:
    assert row(measured("a", 0.5), tmp_path)["loss"] == pytest.approx((1.0 - 0.5) / (3.0 - 0.5))


def test_tracking_stands_beside_the_share_where_there_is_any(tmp_path: Path) -> None:
    made = record(tmp_path, "him", 1.0, column="him-100M")
    found = study([measured("aliengo-him-100M-0", 0.2), measured("other", 0.9)], tmp_path)["rows"]
    assert [one["run"] for one in found] == ["other", "aliengo-him-100M-0"], "the largest share first"
    assert found[0]["linear_error"] is None
    assert found[1]["linear_error"] == errors(made)["linear_error"]
    assert 0.09 < found[1]["linear_error"] < 0.11, "about the mean of the paper's linear rows"


def test_the_page_says_how_it_was_made(tmp_path: Path) -> None:
    page = markdown(study([measured("a", 0.5, probes=None)], tmp_path), ["him train aliengo"])
    assert "| τ 0.1, sum, ×1 | 0.5 | 0.5 |" in page
    assert "    him train aliengo" in page
