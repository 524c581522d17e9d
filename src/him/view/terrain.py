"""Pictures of terrain: the whole grid from above, and single tiles at an angle."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure, SubFigure
from PIL import Image

from him.terrain import KINDS, Terrain, arena
from him.view import relief

Tile = tuple[str, int, int]
"""Kind, level and direction."""

_WAYS = {1: "up", -1: "down", 0: ""}
_EXAMPLES: tuple[Tile, ...] = (
    ("slope", 5, -1),
    ("rough_slope", 5, 1),
    ("stairs", 5, -1),
    ("stairs", 5, 1),
    ("obstacles", 9, 0),
)


def overview(terrain: Terrain, seed: int = 1) -> Figure:
    """The grid from above over a row of examples, one for each kind in the paper."""
    columns, rows = terrain.tiles.kind.shape
    figure = Figure(figsize=(13, 9.4), layout="constrained", dpi=110)
    figure.suptitle(f"Training terrain: {columns} x {rows} tiles of {terrain.tiles.size:g} m, seed {seed}")
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(3.4, 1))[:, 0]
    _map(above, terrain)
    for axes, tile in zip(below.subplots(1, len(_EXAMPLES)), _EXAMPLES, strict=True):
        _tile(axes, tile, seed)
    return figure


def tiles(wanted: Sequence[Sequence[Tile]], seed: int = 1) -> Figure:
    """Single tiles at an angle, laid out in the rows given."""
    columns = max(len(row) for row in wanted)
    figure = Figure(figsize=(4.6 * columns, 3.6 * len(wanted)), layout="constrained", dpi=110)
    grid = figure.subplots(len(wanted), columns, squeeze=False)
    for axes_row, row in zip(grid, wanted, strict=True):
        for axes in axes_row[len(row) :]:
            axes.set_axis_off()
        for axes, tile in zip(axes_row, row, strict=False):
            _tile(axes, tile, seed)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a PNG of 256 colours: a third of the size, and no difference to the eye."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=4).save(path, optimize=True)


def _tile(axes: Axes, tile: Tile, seed: int) -> None:
    kind, level, way = tile
    ground = arena(kind, level, tiles=(1, 1), seed=seed, direction=way, border=0.0)
    axes.imshow(relief.at_an_angle(ground, (0.0, 0.0), ground.tiles.size), interpolation="antialiased")
    axes.set_title(f"{_name(kind)} {_WAYS[way]}".strip() + f", level {level}", fontsize=10)
    axes.set_axis_off()


def _map(figure: SubFigure, terrain: Terrain) -> None:
    """Levels upwards, columns sideways, the kinds named above their columns."""
    axes, tiles = figure.subplots(), terrain.tiles
    extent = (terrain.x0, -terrain.x0, terrain.y0, -terrain.y0)
    axes.imshow(relief.from_above(terrain), extent=extent, interpolation="antialiased")
    x, y = tiles.centre[:, 0, 0], tiles.centre[0, :, 1]
    axes.set_yticks(y, [str(level) for level in tiles.level[0]])
    axes.set_ylabel("level")
    axes.set_xticks(x, [_WAYS[int(way)] for way in tiles.direction[:, 0]])
    axes.set_xlim(x[0] - 6, x[-1] + 6)
    axes.set_ylim(y[0] - 6, y[-1] + 6)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    names, top = list(KINDS), y[-1] + 7
    for index in np.unique(tiles.kind[:, 0]):
        columns = x[tiles.kind[:, 0] == index]
        axes.plot([columns[0] - 4.5, columns[-1] + 4.5], [top, top], color="0.4", lw=1, clip_on=False)
        axes.text(columns.mean(), top + 1, _name(names[index]), ha="center", va="bottom")
    colours = ListedColormap(relief.colour(np.linspace(-relief.DEPTH, relief.DEPTH, 256)))
    scale = ScalarMappable(Normalize(-relief.DEPTH, relief.DEPTH), colours)
    bar = figure.colorbar(scale, ax=axes, shrink=0.6, pad=0.01, aspect=30, label="height, m")
    bar.outline.set_visible(False)


def _name(kind: str) -> str:
    return kind.replace("_", " ")
