"""The printed figures are the paper's."""

from him.bench.paper import COLUMNS, ROWS

OURS = [
    *(("slope", "narrow", [0.073, 0.084, 0.078, 0.047]), ("rough_slope", "narrow", [0.086, 0.097, 0.088, 0.054])),
    *(("stairs", "narrow", [0.147, 0.087, 0.135, 0.096]), ("obstacles", "narrow", [0.125, 0.083, 0.125, 0.075])),
    *(("slope", "wide", [0.075, 0.124, 0.094, 0.067]), ("rough_slope", "wide", [0.085, 0.143, 0.103, 0.076])),
]
"""Column "Ours": linear, angular, combined linear, combined angular."""

BEST = {"him": 19, "regression": 1, "mob": 4}
"""How many rows each method is highlighted in as the best."""


def test_the_column_of_ours() -> None:
    assert COLUMNS == ("him", "regression", "rma", "baseline", "mob")
    assert len(ROWS) == len({row.key for row in ROWS}) == 24
    for terrain, width, expected in OURS:
        mine = [row for row in ROWS if (row.terrain, row.range) == (terrain, width)]
        assert [row.printed["him"] for row in mine] == expected
        assert [(row.test, row.error) for row in mine] == [
            *(("linear", "linear"), ("angular", "angular"), ("combined", "linear"), ("combined", "angular"))
        ]


def test_the_highlighted_figures_are_the_smallest() -> None:
    best = [min(row.printed, key=row.printed.__getitem__) for row in ROWS]
    assert {name: best.count(name) for name in set(best)} == BEST


def test_mob_trained_on_flat_ground_stands_beside_the_papers_mob() -> None:
    assert ROWS[0].figure("mob-flat") == ROWS[0].figure("mob") == 0.103
    assert ROWS[0].figure("oracle") is None
