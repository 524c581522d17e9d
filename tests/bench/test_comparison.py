"""Methods side by side."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from him.bench import comparison
from him.bench.paper import ROWS
from him.errors import HimError
from tests.bench.measured import SETTINGS, record

ROW = ROWS[0].key


def test_seeds_are_averaged_and_compared_in_the_same_worlds(tmp_path: Path) -> None:
    him = [record(tmp_path, "him", factor, seed) for seed, factor in enumerate((1.0, 1.1, 1.2))]
    rma = record(tmp_path, "rma", 1.5)
    result = comparison.table([*him, rma])
    assert list(result["columns"]) == ["him", "rma"], "the paper's order"
    assert result["columns"]["him"]["seeds"] == [0, 1, 2]
    cell = result["rows"][0]["columns"]["him"]
    means = [np.mean(one.groups(ROW)) for one in him]
    assert cell["seeds"] == pytest.approx(means, abs=1e-4)
    assert cell["mean"] == pytest.approx(np.mean(means), abs=1e-4)
    assert cell["deviation"] == pytest.approx(np.std(means, ddof=1), abs=1e-4)
    assert (cell["paper"], cell["falls"], cell["trials"]) == (0.073, 3 * 2 * 3, 128 * 2 * 3)
    above = result["rows"][0]["columns"]["rma"]["above_ours"]
    apart = np.array(rma.groups(ROW)) - np.mean([one.groups(ROW) for one in him], 0)
    assert above["mean"] == pytest.approx(apart.mean(), abs=1e-4)
    assert above["interval"] < cell["interval"], "what the worlds have in common drops out"


def test_columns_come_in_the_papers_order_and_others_after_them(tmp_path: Path) -> None:
    found = [record(tmp_path, name, 1.0) for name in ("oracle", "mob", "him", "baseline", "regression")]
    found.append(record(tmp_path, "him", 1.0, column="him-prototypes-8"))
    names = list(comparison.columns(found))
    assert names == ["him", "regression", "baseline", "mob", "oracle", "him-prototypes-8"]


def test_the_page_shows_measured_and_printed_figures(tmp_path: Path) -> None:
    records = [record(tmp_path, name, 1.0, seed) for name in ("him", "rma") for seed in range(2)]
    page = comparison.markdown(comparison.table([*records, record(tmp_path, "oracle", 1.0)]))
    assert "| terrain | commands | range | error | HIM | RMA |" in page
    assert "(0.073) |" in page, "what the paper prints for HIM"
    assert "(0.158) |" in page, "and for RMA"
    for title in ("Above HIM", "Seeds", "Falls"):
        assert f"## {title}" in page
    assert "| 2.3 |" in page, "percent that fell"


def test_one_method_alone_has_nobody_to_be_compared_with(tmp_path: Path) -> None:
    result = comparison.table([record(tmp_path, "him", 1.0)])
    page = comparison.markdown(result)
    assert "Above HIM" not in page
    assert "Seeds" not in page
    assert result["rows"][0]["columns"]["him"]["deviation"] is None


def test_records_of_different_settings_are_not_compared(tmp_path: Path) -> None:
    one, other = record(tmp_path, "him", 1.0), record(tmp_path, "rma", 1.0, settings=replace(SETTINGS, seed=2))
    with pytest.raises(HimError, match="not measured with the same settings"):
        comparison.table([one, other])


def test_the_same_seed_twice_is_refused(tmp_path: Path) -> None:
    one = record(tmp_path, "him", 1.0)
    twin = replace(one, subject=replace(one.subject, name="aliengo"))
    with pytest.raises(HimError, match=r"aliengo-him-0 and aliengo are both him with seed 0"):
        comparison.table([one, twin])
