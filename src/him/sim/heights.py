"""Height of the terrain at any points, batched, on any device: what the critic scans and robots are set down on."""

import torch
from torch import Tensor

from him.terrain import CELL, Terrain


class Heights:
    """The terrain's surface as tensors; calling it looks up heights without waiting for the device."""

    def __init__(self, terrain: Terrain, device: torch.device | str) -> None:
        self.ny, self.nx, _ = terrain.corners.shape
        self.x0, self.y0 = terrain.x0, terrain.y0
        self.cells = torch.from_numpy(terrain.corners.reshape(-1, 4)).to(device)

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        """Same rules as `Terrain.height`: triangles within a cell, the border continued outside."""
        u = ((x - self.x0) / CELL).clamp(0, self.nx)
        v = ((y - self.y0) / CELL).clamp(0, self.ny)
        i = u.long().clamp(max=self.nx - 1)
        j = v.long().clamp(max=self.ny - 1)
        u, v = u - i, v - j
        cell = j * self.nx + i
        # index_select is three times as fast on a CPU as indexing
        h00, h10, h01, h11 = self.cells.index_select(0, cell.flatten()).view(*cell.shape, 4).unbind(-1)
        lower = h00 + u * (h10 - h00) + v * (h01 - h00)
        upper = h11 + (1 - u) * (h01 - h11) + (1 - v) * (h10 - h11)
        return torch.where(u + v <= 1, lower, upper)
