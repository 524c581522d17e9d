"""How punctual the loop is."""

import numpy as np

BIN = 1e-5
"""Width of the histogram's bins, s; a histogram, so that a day needs no more memory than a second."""
BINS = 4000


class Timing:
    """Counts cycles, late cycles and missed deadlines, and keeps the distribution of the jitter."""

    def __init__(self, period: float, deadline: float) -> None:
        self._period = period
        self._deadline = deadline
        self._last: float | None = None
        self._jitter = np.zeros(BINS, dtype=np.int64)
        self.cycles = 0
        self.late = 0
        """Commands that came more than half a period late."""
        self.missed = 0
        """Gaps without a command longer than the deadline."""
        self.worst_gap = 0.0
        self.worst_compute = 0.0
        """Longest computation of the policy, s."""

    def sent(self, now: float) -> float:
        """Note a command that goes out; returns the seconds since the one before."""
        gap = self._period if self._last is None else now - self._last
        self._last = now
        self.cycles += 1
        self.late += gap > 1.5 * self._period
        self.missed += gap > self._deadline
        self.worst_gap = max(self.worst_gap, gap)
        self._jitter[min(int(abs(gap - self._period) / BIN), BINS - 1)] += 1
        return gap

    def computed(self, seconds: float) -> None:
        """Note how long the policy took."""
        self.worst_compute = max(self.worst_compute, seconds)

    def jitter(self, percent: float) -> float:
        """Deviation from the period that `percent` of the cycles keep within, s."""
        counts = np.cumsum(self._jitter)
        return float((np.searchsorted(counts, percent / 100.0 * counts[-1]) + 1) * BIN)

    def figures(self) -> dict[str, float]:
        """The same for a program; times in milliseconds."""
        return {
            "cycles": self.cycles,
            "late": self.late,
            "missed": self.missed,
            **{f"jitter_{percent:g}_ms": round(1e3 * self.jitter(percent), 2) for percent in (50, 90, 99, 99.9, 99.99)},
            "worst_gap_ms": round(1e3 * self.worst_gap, 3),
            "worst_compute_ms": round(1e3 * self.worst_compute, 3),
        }

    def report(self) -> str:
        """One line for a person."""
        return (
            f"{self.cycles} cycles, {self.late} late, {self.missed} missed deadlines; "
            f"jitter {1e3 * self.jitter(50):.2f} ms (median), {1e3 * self.jitter(99):.2f} ms (99 %), "
            f"longest gap {1e3 * self.worst_gap:.1f} ms, slowest policy {1e3 * self.worst_compute:.2f} ms"
        )
