"""MuJoCo on the GPU: `mujoco_warp` with the terrain's contacts of our own, a control period as one CUDA graph.

The same code runs on Warp's CPU device, slowly, for tests.
"""

from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import torch
import warp as wp
from torch import Tensor

from him.robots import Robot
from him.sim import model as builder
from him.sim import warp_kernels as kernels
from him.sim.bodies import FIELDS, Bodies, Change
from him.sim.engine import DECIMATION, MAX_RATE, MAX_SPEED, Parameters
from him.sim.ground import ceiling, collider_ids
from him.sim.material import solref
from him.terrain import CELL, Terrain

CONTACTS = 16
"""Contacts to allocate a world, on average. Five are usual; kernels that run over all slots pay for more."""

CONSTRAINTS = 128
"""Constraint rows a world may have: 12 of joint friction, joint limits, four a contact. 60 were the most seen."""


class WarpEngine:
    """Implements `him.sim.engine.Engine`."""

    def __init__(
        self,
        robot: Robot,
        terrain: Terrain,
        worlds: int,
        bodies: Bodies | None = None,
        device: str | torch.device = "cuda",
        deterministic: bool = False,
    ) -> None:
        wp.config.quiet = True
        wp.init()
        self.worlds = worlds
        self.device = torch.device(device)
        if self.device.type == "cuda" and self.device.index is None:
            self.device = torch.device("cuda", torch.cuda.current_device())
        self._wp = wp.get_device(str(self.device))
        spec = builder.build(robot)
        ground = spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
        ground.contype = ground.conaffinity = 0
        self.model = spec.compile()
        bodies = bodies or Bodies(self.model, [Change()])
        with wp.ScopedDevice(self._wp):
            self._place(deterministic)
            self._randomisable(bodies)
            self._ground(terrain)
            self._views()
            self._graph = self._capture()

    def step(self, target: Tensor) -> None:
        self._previous.copy_(self._target)
        self._target.copy_(target)
        if self._graph is None:
            with wp.ScopedDevice(self._wp):
                self._period()
        else:
            wp.capture_launch(self._graph, stream=self._stream())

    def reset(self, mask: Tensor, qpos: Tensor, qvel: Tensor, parameters: Parameters) -> None:
        p = parameters
        given = [mask, qpos, qvel, p.body, p.friction, p.solref, p.kp, p.kd, p.delay]
        wp.launch(
            kernels.reset_worlds,
            dim=self.worlds,
            inputs=[_array(x) for x in given] + self._bank,
            outputs=self._reset_outputs,
            device=self._wp,
            stream=self._stream(),
        )

    def state_dict(self) -> dict[str, Tensor]:
        return {name: tensor.clone() for name, tensor in self._state.items()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        for name, tensor in self._state.items():
            tensor.copy_(state[name])

    def _place(self, deterministic: bool) -> None:
        """Put model and data on the device, all worlds standing at home."""
        data = mujoco.MjData(self.model)
        mujoco.mj_resetDataKeyframe(self.model, data, 0)
        mujoco.mj_forward(self.model, data)
        self._m = mjw.put_model(self.model)
        self._m.opt.warn_overflow = 0
        if deterministic:
            self._m.opt.deterministic = mjw.DeterminismType.ALL
        self._d = mjw.put_data(self.model, data, nworld=self.worlds, nconmax=CONTACTS, njmax=CONSTRAINTS)
        self._home = wp.array(data.qpos.astype(np.float32), dtype=float)

    def _randomisable(self, bodies: Bodies) -> None:
        """Give each world its own copy of what may differ, and keep the bank to fill it from."""
        self._bank = []
        for name in FIELDS:
            shared = getattr(self._m, name)
            rows = bodies.rows[name].astype(np.float32)
            self._bank.append(wp.array(rows, dtype=shared.dtype))
            first = np.repeat(rows[:1], self.worlds, axis=0)
            setattr(self._m, name, wp.array(first, dtype=shared.dtype))
        for name in ("actuator_gainprm", "actuator_biasprm"):
            shared = getattr(self._m, name)
            every = np.repeat(shared.numpy(), self.worlds, axis=0)
            setattr(self._m, name, wp.array(every, dtype=shared.dtype))
        self._friction = wp.full(self.worlds, 1.0, dtype=float)
        dead = np.tile(np.array(solref(0.0), np.float32), (self.worlds, 1))
        self._solref = wp.array(dead, dtype=float)
        self._delay = wp.zeros(self.worlds, dtype=int)

    def _ground(self, terrain: Terrain) -> None:
        """Lay the terrain and hook our contacts in where MuJoCo Warp lets users filter its own."""
        spheres = collider_ids(self.model)
        self.colliders = tuple(self.model.geom(g).name for g in spheres)
        count = len(spheres)
        self._touched = wp.zeros((self.worlds, count), dtype=wp.uint8)
        self._slots = wp.full((self.worlds, count), wp.vec2i(-1, -1), dtype=wp.vec2i)
        self._forces = wp.zeros((self.worlds, count), dtype=wp.vec3)
        c = self._d.contact
        inputs = [
            wp.array(terrain.corners, dtype=wp.vec4),
            wp.array(ceiling(terrain), dtype=float),
            terrain.x0,
            terrain.y0,
            CELL,
            wp.array(np.array(spheres, np.int32), dtype=int),
            wp.array(self.model.geom_size[spheres, 0].astype(np.float32), dtype=float),
            self.model.geom("ground").id,
            self._friction,
            wp.array(ptr=self._solref.ptr, shape=self.worlds, dtype=wp.vec2, device=self._wp),
            self._d.geom_xpos,
            self._d.naconmax,
        ]
        outputs = [
            *(self._d.nacon, c.dist, c.pos, c.frame, c.includemargin, c.friction, c.solref, c.solreffriction),
            *(c.solimp, c.dim, c.geom, c.efc_address, c.worldid, c.type, c.geomcollisionid, c.adhesion),
            *(self._slots, self._touched),
        ]

        def touch(m: Any, d: Any) -> None:
            wp.launch(kernels.touch_terrain, dim=(self.worlds, count), inputs=inputs, outputs=outputs)

        self._m.callback.contactfilter = touch

    def _views(self) -> None:
        """Torch tensors over the arrays that the environment reads and writes."""
        self._target_wp = wp.zeros((self.worlds, self.model.nu), dtype=float)
        self._previous_wp = wp.zeros((self.worlds, self.model.nu), dtype=float)
        self._fault = wp.zeros(self.worlds, dtype=wp.uint8)
        self._faults = wp.zeros(1, dtype=int)
        self._top_speed = wp.zeros(self.worlds, dtype=float)
        d = self._d
        self.qpos, self.qvel, self.torque = (wp.to_torch(x) for x in (d.qpos, d.qvel, d.actuator_force))
        self._target, self._previous = wp.to_torch(self._target_wp), wp.to_torch(self._previous_wp)
        self._target.copy_(self.qpos[:, 7:])
        self.push = wp.to_torch(d.xfrc_applied)[:, 1, :3]
        self.contact_force = wp.to_torch(self._forces)
        self.touched = wp.to_torch(self._touched).view(torch.bool)
        self.fault = wp.to_torch(self._fault).view(torch.bool)
        self.faults = wp.to_torch(self._faults)[0]
        self.top_speed = wp.to_torch(self._top_speed)
        m = self._m
        kept = {name: getattr(m, name) for name in (*FIELDS, "actuator_gainprm", "actuator_biasprm")}
        kept |= {"qpos": d.qpos, "qvel": d.qvel, "qacc_warmstart": d.qacc_warmstart, "time": d.time}
        kept |= {"target": self._target_wp, "friction": self._friction, "solref": self._solref, "delay": self._delay}
        kept |= {"push": d.xfrc_applied, "faults": self._faults, "top_speed": self._top_speed}
        self._state = {name: wp.to_torch(array) for name, array in kept.items()}
        self._reset_outputs = [getattr(m, name) for name in FIELDS] + [
            *(m.actuator_gainprm, m.actuator_biasprm, d.qpos, d.qvel, d.qacc_warmstart),
            *(self._target_wp, self._friction, self._solref, self._delay),
        ]

    def _period(self) -> None:
        """One control period: what the CUDA graph holds."""
        d = self._d
        for substep in range(DECIMATION):
            wp.launch(
                kernels.begin_substep,
                dim=self.worlds,
                inputs=[substep, self._delay, self._target_wp, self._previous_wp, d.qvel],
                outputs=[d.ctrl, self._top_speed, self._touched],
            )
            mjw.step(self._m, d)
        wp.launch(
            kernels.contact_forces,
            dim=self._slots.shape,
            inputs=[self._friction, self._slots, d.contact.frame, d.contact.efc_address, d.efc.force],
            outputs=[self._forces],
        )
        wp.launch(
            kernels.watch,
            dim=self.worlds,
            inputs=[MAX_SPEED, MAX_RATE, self._home],
            outputs=[d.qpos, d.qvel, d.qacc_warmstart, self._top_speed, self._fault, self._faults],
        )

    def _capture(self) -> Any:
        """Compile every kernel by running once, undo that step, and record the graph."""
        if self.device.type != "cuda":
            return None
        before = [x.clone() for x in (self.qpos, self.qvel)]
        self._period()
        self.qpos.copy_(before[0])
        self.qvel.copy_(before[1])
        wp.to_torch(self._d.qacc_warmstart).zero_()
        self.top_speed.zero_()
        with wp.ScopedCapture() as capture:
            self._period()
        return capture.graph

    def _stream(self) -> Any:
        """Torch's stream, so that neither side waits for the other."""
        return wp.stream_from_torch(torch.cuda.current_stream()) if self.device.type == "cuda" else None


def _array(tensor: Tensor) -> Any:
    """A Warp array over a tensor; masks travel as bytes."""
    tensor = tensor.contiguous()
    return wp.from_torch(tensor.view(torch.uint8) if tensor.dtype == torch.bool else tensor)
