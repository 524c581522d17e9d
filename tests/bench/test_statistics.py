"""Intervals against scipy's own, and what pairing is good for."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from him.bench.statistics import difference, estimate

numbers = st.lists(st.floats(-100, 100), min_size=2, max_size=30)


@given(numbers)
def test_the_interval_is_students(values: list[float]) -> None:
    assume(np.ptp(values) > 1e-3)
    found = estimate(values)
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    np.testing.assert_allclose([found.low, found.high], [low, high], rtol=1e-6, atol=1e-9)


def test_one_group_has_no_interval() -> None:
    assert np.isnan(estimate([1.0]).interval)


def test_the_interval_holds_the_truth_nineteen_times_of_twenty() -> None:
    rng = np.random.default_rng(0)
    found = [estimate(rng.normal(2.0, 1.0, 8).tolist()) for _ in range(2000)]
    held = np.mean([one.low <= 2.0 <= one.high for one in found])
    assert 0.935 < held < 0.965


def test_what_two_policies_have_in_common_leaves_the_difference() -> None:
    rng = np.random.default_rng(0)
    world = rng.normal(0.2, 0.1, 50)
    better, worse = (world + add + rng.normal(0, 0.001, 50) for add in (0.0, 0.01))
    found = difference(worse.tolist(), better.tolist())
    assert found.low > 0
    assert abs(found.mean - 0.01) < 0.001
    assert found.interval < 0.1 * estimate(worse.tolist()).interval
