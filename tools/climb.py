"""How far a policy climbs where it is slippery: python tools/climb.py aliengo [IMPEDANCE DEGREES]

Robots start in the middle of a pit, nominal but for friction, and walk for 10 s at 0.6 m/s up the slope around them, in
training's physics. On contacts as soft as MuJoCo's own (impedance 0.9) feet creep more than on training's (0.98).
"""

import math
import sys
from dataclasses import replace

import torch

from him.bench.player import Player
from him.bench.trial import ARENA, Cell, Ground
from him.env.settings import Randomisation, TaskSettings
from him.sim import material
from him.terrain import tiles

ROBOTS = 384
"""Half of them start in a pit; the others, on top, are left out."""

FRICTION = 0.0, 1.0
"""Of the robots; the ground's is 1, and a contact has the mean: 0.5 to 1, as in `him bench courses`."""

STEP = 0.05
"""Width of a row of the table."""

SPEED = 0.6


def main(name: str, impedance: float = material.IMPEDANCE, degrees: float = 25.0) -> None:
    tiles.inclination = lambda level: math.radians(degrees)
    player = Player(name, torch.device("cpu"))
    world = replace(Randomisation.none(), friction=FRICTION, impedance=(impedance, impedance))
    ground = Ground(player.contract.robot, [Cell("slope", 0)], ROBOTS, TaskSettings(randomisation=world), "cpu")
    command = torch.tensor([SPEED, 0.0, 0.0]).repeat(ROBOTS, 1)
    seen: list[torch.Tensor] = []
    outcome = ground.run(player, command, watch=lambda *_: seen or seen.append(contact_friction(ground)))
    column, row = ground._tiles()
    pit = (column % ARENA + row) % 2 == 0
    print(f"{name}, {degrees:g} degrees, impedance {impedance}: friction, and the mean share of the way commanded")
    for k in range(10):
        low = 0.5 + k * STEP
        # who falls begins anew with another friction
        there = pit & (seen[0] >= low) & (seen[0] < low + STEP)
        print(f"  {low:.2f} to {low + STEP:.2f}: {outcome.progress[there].mean():.2f} ({int(there.sum())} robots)")


def contact_friction(ground: Ground) -> torch.Tensor:
    """Of each world's contacts (N,)."""
    return ground.task.engine.state_dict()["geom_friction"][:, -1, 0].float()


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:]))
