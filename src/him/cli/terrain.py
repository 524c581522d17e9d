"""`him terrain`: pictures of the training grid and of single tiles."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from him.errors import HimError
from him.terrain import KINDS, TerrainSettings, grid, ways
from him.view import terrain as view


@dataclass(frozen=True)
class Arguments:
    """Draw the whole training grid, or single tiles of the kind and level asked for."""

    kind: str | None = None
    """slope, rough_slope, stairs, obstacles, rough_flat, waves or flat; without --level, 0, 3, 6 and 9."""
    level: int | None = None
    """0 to 9; without a kind, every kind."""
    out: Path = Path("terrain.png")
    """The picture to write."""
    seed: int = 1
    """Same seed, same terrain."""


def main(argv: list[str]) -> int:
    arguments = tyro.cli(Arguments, prog="him terrain", args=argv)
    if arguments.out.suffix.lower() != ".png":
        raise HimError(f"Pictures are PNG files: give --out a name that ends in .png, not {arguments.out.name}.")
    rows = _rows(arguments.kind, arguments.level)
    if rows:
        figure = view.tiles(rows, arguments.seed)
    else:
        figure = view.overview(grid(TerrainSettings(seed=arguments.seed)), arguments.seed)
    try:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        view.save(figure, arguments.out)
    except OSError as error:
        raise HimError(f"Cannot write {arguments.out}: {error.strerror}.") from error
    print(f"wrote {arguments.out}")
    return 0


def _rows(kind: str | None, level: int | None) -> list[list[view.Tile]]:
    """The tiles to draw: none for the whole grid."""
    if kind is not None and level is not None:
        return [[(kind, level, way) for way in ways(kind)]]
    if kind is not None:
        return [[(kind, step, way) for step in (0, 3, 6, 9)] for way in ways(kind)]
    if level is not None:
        every = [(name, level, ways(name)[-1]) for name in KINDS]
        return [every[:4], every[4:]]
    return []
