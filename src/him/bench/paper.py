"""The paper's printed figures, read from the file that holds them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

TITLES = {
    "him": "HIM",
    "regression": "Regression",
    "rma": "RMA",
    "baseline": "Baseline",
    "mob": "MoB",
    "mob-flat": "MoB, flat ground",
    "rma-original": "RMA, original factors",
    "oracle": "Oracle",
    "plain-regression": "Plain regression",
    "no-velocity-input": "HIM w/o velocity input",
    "no-velocity-loss": "HIM w/o velocity loss",
    "no-latent-input": "HIM w/o latent input",
    "no-latent-loss": "HIM w/o latent loss",
}
"""What the methods are called in tables and figures; others keep their names."""

BESIDE = {"mob-flat": "mob", "rma-original": "rma"}
"""Methods that stand beside a printed column of another name: MoB as published never saw anything but flat ground, and
which factors the paper's RMA was told is not printed."""


@dataclass(frozen=True)
class Row:
    """One line of the table of tracking errors."""

    terrain: str
    range: str
    """narrow or wide."""
    test: str
    """Which commands were given: linear, angular or combined ones."""
    error: str
    """Which error was measured: linear (m/s) or angular (rad/s)."""
    printed: dict[str, float]
    """The paper's figure of each method."""

    @property
    def key(self) -> str:
        return f"{self.terrain} {self.range} {self.test} {self.error}"

    def figure(self, method: str) -> float | None:
        """What the paper prints for a method, if it has a column."""
        return self.printed.get(BESIDE.get(method, method))


def _read() -> tuple[Row, ...]:
    data = tomllib.loads((Path(__file__).parent / "sim_tracking_table.toml").read_text())
    columns = data["columns"]
    return tuple(Row(**row | {"printed": dict(zip(columns, row["printed"], strict=True))}) for row in data["rows"])


ROWS = _read()
"""The table of tracking errors in simulation, in the paper's order."""

COLUMNS = tuple(ROWS[0].printed)
"""Its methods."""


def title(method: str) -> str:
    return TITLES.get(method, method)
