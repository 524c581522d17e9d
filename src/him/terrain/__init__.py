"""The ground robots walk on: the paper's training terrains, exact to the corner (NumPy only)."""

from him.terrain.layout import Shares, TerrainSettings, arena, arenas, flat, grid
from him.terrain.surface import CELL, Terrain, Tiles
from him.terrain.tiles import DIRECTED, KINDS, LEVELS, PLATFORM, TILE, tile, ways

__all__ = [
    "CELL",
    "DIRECTED",
    "KINDS",
    "LEVELS",
    "PLATFORM",
    "TILE",
    "Shares",
    "Terrain",
    "TerrainSettings",
    "Tiles",
    "arena",
    "arenas",
    "flat",
    "grid",
    "tile",
    "ways",
]
