"""A bank of randomised bodies, with everything that depends on their masses recomputed.

Masses, inertias and centres of mass enter constants (subtree masses, inverse weights) that only
``mj_setConst`` computes, and that is far too slow to do at every reset. So many bodies are drawn once, MuJoCo
derives their constants, and each episode picks one of them: a copy, on either engine.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

BASE = 1
"""Body id of the robot's base; 0 is the world."""

FIELDS = ("body_mass", "body_inertia", "body_ipos", "body_subtreemass", "body_invweight0", "dof_invweight0")
"""What of a model depends on the masses, named as MuJoCo names it."""


@dataclass(frozen=True)
class Change:
    """How one body differs from the nominal robot."""

    base_scale: float = 1.0
    """Factor on the base's mass and inertia."""
    link_scale: Any = 1.0
    """Factor on the masses and inertias of the twelve links: one for all, or one each."""
    payload: float = 0.0
    """Mass added to the base in kg."""
    com_shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Displacement of the base's centre of mass in metres."""


class Bodies:
    """Rows of model fields, one row a body."""

    def __init__(self, model: mujoco.MjModel, changes: Sequence[Change]) -> None:
        if not changes:
            raise ValueError("a bank of bodies needs at least one")
        shapes = {name: getattr(model, name).shape for name in FIELDS}
        self.rows = {name: np.empty((len(changes), *shape)) for name, shape in shapes.items()}
        scratch = copy.copy(model)
        data = mujoco.MjData(scratch)
        for i, change in enumerate(changes):
            _apply(model, scratch, change)
            mujoco.mj_setConst(scratch, data)
            for name, rows in self.rows.items():
                rows[i] = getattr(scratch, name)

    def __len__(self) -> int:
        return len(self.rows["body_mass"])


def _apply(nominal: mujoco.MjModel, model: mujoco.MjModel, change: Change) -> None:
    """Inertia follows mass: what is added or taken away is spread as the body's own mass is."""
    scale = np.ones(nominal.nbody)
    scale[BASE] = change.base_scale + change.payload / nominal.body_mass[BASE]
    scale[BASE + 1 :] = change.link_scale
    if (scale <= 0).any():
        raise ValueError(f"a body of no mass: {change}")
    model.body_mass[:] = nominal.body_mass * scale
    model.body_inertia[:] = nominal.body_inertia * scale[:, None]
    model.body_ipos[:] = nominal.body_ipos
    model.body_ipos[BASE] += change.com_shift
