"""Some of the worlds of the GPU engine: what one branch of its CUDA graph steps."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import mujoco_warp as mjw
import warp as wp

from him.sim import warp_kernels as kernels
from him.sim.engine import DECIMATION, MAX_RATE, MAX_SPEED


def worlds_of(d: Any, rows: slice) -> Any:
    """These worlds of a `mujoco_warp` Data as a Data of their own, over the same memory."""
    contacts = slice(d.naconmax * rows.start // d.nworld, d.naconmax * rows.stop // d.nworld)
    parts = _cut(d, "nworld", d.nworld, rows)
    parts["efc"] = dataclasses.replace(d.efc, **_cut(d.efc, "nworld", d.nworld, rows))
    parts["contact"] = dataclasses.replace(d.contact, **_cut(d.contact, "naconmax", d.naconmax, contacts))
    parts |= {name: wp.zeros(1, dtype=int) for name in ("nacon", "ncollision")}
    parts |= {"nworld": rows.stop - rows.start, "naconmax": contacts.stop - contacts.start}
    return dataclasses.replace(d, **parts)


def _cut(container: Any, dimension: str, size: int, rows: slice) -> dict[str, Any]:
    """The arrays declared to lead with this dimension, cut; those a model has no use for are empty and stay."""
    arrays = [f.name for f in dataclasses.fields(container) if getattr(f.type, "shape", (None,))[0] == dimension]
    whole = {name: getattr(container, name) for name in arrays}
    return {name: array[rows] for name, array in whole.items() if array.shape[0] == size and array.size}


@dataclass
class Part:
    """A model, its data and our arrays for a range of worlds."""

    m: Any
    d: Any
    surface: list[Any]
    home: Any
    faults: Any
    substeps: int
    drives: Any
    kp: Any
    kd: Any
    torque: Any
    target: Any
    previous: Any
    delay: Any
    friction: Any
    solref: Any
    impedance: Any
    touched: Any
    slots: Any
    forces: Any
    top_speed: Any
    fault: Any

    def __post_init__(self) -> None:
        # MuJoCo Warp lets users filter its contacts: there we put our own
        self.m.callback.contactfilter = lambda m, d: self.touch()

    def period(self) -> None:
        """One control period."""
        d = self.d
        for substep in range(self.substeps):
            wp.launch(
                kernels.begin_substep,
                dim=d.nworld,
                inputs=[
                    *(substep * DECIMATION // self.substeps, *self.drives, self.kp, self.kd, self.delay),
                    *(self.target, self.previous, d.qpos, d.qvel),
                ],
                outputs=[self.torque, d.qfrc_applied, self.top_speed, self.touched],
            )
            mjw.step(self.m, d)
        wp.launch(
            kernels.contact_forces,
            dim=self.slots.shape,
            inputs=[self.friction, self.slots, d.contact.frame, d.contact.efc_address, d.efc.force],
            outputs=[self.forces],
        )
        wp.launch(
            kernels.watch,
            dim=d.nworld,
            inputs=[MAX_SPEED, MAX_RATE, self.home],
            outputs=[d.qpos, d.qvel, d.qacc_warmstart, self.top_speed, self.fault, self.faults],
        )

    def touch(self) -> None:
        """Write the contacts of every sphere with the terrain."""
        d, c = self.d, self.d.contact
        wp.launch(
            kernels.touch_terrain,
            dim=self.slots.shape,
            inputs=[*self.surface, self.friction, self.solref, self.impedance, d.geom_xpos, d.naconmax],
            outputs=[
                *(d.nacon, c.dist, c.pos, c.frame, c.includemargin, c.friction, c.solref, c.solreffriction),
                *(c.solimp, c.dim, c.geom, c.efc_address, c.worldid, c.type, c.geomcollisionid, c.adhesion),
                *(self.slots, self.touched),
            ],
        )
