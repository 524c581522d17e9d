import pytest

from him.deploy.timing import Timing


def test_late_cycles_and_missed_deadlines_are_told_apart():
    timing = Timing(period=0.002, deadline=0.02)
    for moment in (0.0, 0.002, 0.004, 0.009, 0.011, 0.041):
        timing.sent(moment)
    assert (timing.cycles, timing.late, timing.missed) == (6, 2, 1)
    assert timing.worst_gap == pytest.approx(0.03)
    assert "6 cycles, 2 late, 1 missed" in timing.report()


def test_jitter_percentiles():
    timing = Timing(period=0.002, deadline=0.02)
    moment = 0.0
    for cycle in range(1000):
        moment += 0.0025 if cycle % 10 == 0 else 0.002
        timing.sent(moment)
    assert timing.jitter(50) == pytest.approx(0.0, abs=2e-5)
    assert timing.jitter(99) == pytest.approx(5e-4, abs=2e-5)


def test_figures_are_the_report_s():
    timing = Timing(period=0.002, deadline=0.02)
    for moment in (0.0, 0.002, 0.009, 0.04):
        timing.sent(moment)
    timing.computed(4e-4)
    figures = timing.figures()
    assert (figures["cycles"], figures["late"], figures["missed"]) == (4, 2, 1)
    assert figures["worst_gap_ms"] == pytest.approx(31.0)
    assert figures["worst_compute_ms"] == pytest.approx(0.4)
    assert figures["jitter_50_ms"] < figures["jitter_99.9_ms"] == pytest.approx(29.0, abs=0.02)
