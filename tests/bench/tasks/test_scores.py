"""Intervals against SciPy, the search for a weight, and the scoring of made-up trials."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from him.bench.tasks import scores
from him.bench.tasks.scene import PASSED
from him.bench.tasks.trial import FALLEN, Outcome


def made_up(ends: str, values: list[float] | None = None) -> list[Outcome]:
    """A trial for each letter: p passed, f fell."""
    names = {"p": PASSED, "f": FALLEN}
    values = values or [0.0] * len(ends)
    return [Outcome(i, names[end], values[i], 3.0, 0.8) for i, end in enumerate(ends)]


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_shares_have_wilsons_interval(case: tuple[int, int]) -> None:
    passed, trials = case
    expected = stats.binomtest(passed, trials).proportion_ci(0.95, method="wilson")
    np.testing.assert_allclose(scores.share_interval(passed, trials), expected, atol=1e-9)


def test_a_known_interval() -> None:
    """20 of 20: the lower end is 1 / (1 + z^2 / 20)."""
    low, high = scores.share_interval(20, 20)
    assert (low, high) == (pytest.approx(1 / (1 + 1.959964**2 / 20), abs=1e-6), 1.0)


def test_a_rate() -> None:
    result = scores.score("success", made_up("p" * 17 + "fff"))
    assert result == {"value": 85.0, "interval": [64.0, 94.8], "passed": 17, "trials": 20}


def test_a_number_of_stairs() -> None:
    counted = [200.0, 180.0, 150.0, 176.0]
    result = scores.score("stairs", made_up("pfff", counted))
    low, high = stats.t.interval(0.95, 3, np.mean(counted), stats.sem(counted))
    assert result["value"] == 176.5
    assert result["interval"] == pytest.approx((high - low) / 2, abs=0.01)


def test_the_interval_of_one_trial_is_not_known() -> None:
    assert scores.score("stairs", made_up("f", [7.0]))["interval"] is None


def test_a_weight() -> None:
    result = scores.score("weight", made_up("p" * 16 + "ffff"), 7.5)
    assert (result["value"], result["passed"], result["trials"]) == (7.5, 16, 20)
    assert scores.score("weight", [], 0.0)["value"] == 0.0


def test_sixteen_of_twenty_master_a_weight() -> None:
    assert scores.needed(20) == 16
    assert scores.decided(16, 0, 20) is True
    assert scores.decided(15, 5, 20) is False
    assert scores.decided(15, 4, 20) is None
    assert scores.decided(0, 5, 20) is False
    assert scores.decided(0, 4, 20) is None


@given(st.integers(0, 40))
def test_the_largest_weight_is_found_in_few_probes(limit: int) -> None:
    grid, asked = scores.weights(), []
    assert (grid[0], grid[-1], len(grid)) == (0.5, 20.0, 40)

    def mastered(weight: float) -> bool:
        asked.append(weight)
        return weight <= limit / 2

    assert scores.largest(grid, mastered) == limit / 2
    assert len(asked) <= 6
    assert len(set(asked)) == len(asked)


def test_endings_are_counted() -> None:
    assert scores.endings(made_up("pfpp")) == {PASSED: 3, FALLEN: 1}
