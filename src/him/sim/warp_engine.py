"""MuJoCo on the GPU: `mujoco_warp` with the terrain's contacts of our own, a control period as one CUDA graph.

The same code runs on Warp's CPU device, slowly, for tests.
"""

import dataclasses
import itertools
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import torch
import warp as wp
from torch import Tensor

from him.robots import Robot
from him.sim import model as builder
from him.sim import motors
from him.sim import warp_kernels as kernels
from him.sim.bodies import FIELDS, Bodies, Change
from him.sim.engine import CONTROL_PERIOD, DECIMATION, Parameters
from him.sim.ground import ceiling, collider_ids
from him.sim.material import IMPEDANCE, most_damping, solref
from him.sim.warp_part import Part, worlds_of
from him.terrain import CELL, Terrain

CONTACTS = 16
"""Contacts to allocate a world, on average. Five are usual; kernels that run over all slots pay for more."""

CONSTRAINTS = 48
"""Constraint rows a world may have: joint limits and four a contact. 28 were the most seen. Whoever
needs more has a dozen contacts, lies on the ground and is about to start anew; what exceeds them is left out."""


ITERATIONS = 6
LS_ITERATIONS = 5
"""Newton steps and line-search steps within each of them, which are always all made: asking whether they are needed
would cost more. With joint friction a few worlds need six to agree with MuJoCo; see docs/decisions.md."""

BRANCHES = 1
"""Parallel branches of the CUDA graph. A few thousand worlds do not fill a GPU: while one half waits for the
launch of its next small kernel, the other half could compute. On one H200 two gained nothing at 4096 worlds and 5 % at
16384, four lost; training has not been run with them."""

BRANCH_WORLDS = 1024
"""Fewer worlds than this stay together."""


MODULES = ("forward", "smooth", "passive", "derivative", "solver", "support", "constraint")
"""Modules of MuJoCo Warp that every step needs. Left to the first launch they would be compiled one after another."""

COMPILERS = 8
"""Modules compiled at the same time."""


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
        branches: int | None = None,
        substeps: int = DECIMATION,
    ) -> None:
        wp.config.log_level = wp.LOG_WARNING
        wp.init()
        self.worlds, self._substeps = worlds, substeps
        self.device = torch.device(device)
        if self.device.type == "cuda" and self.device.index is None:
            self.device = torch.device("cuda", torch.cuda.current_device())
        self._wp = wp.get_device(str(self.device))
        spec = builder.build(robot)
        ground = spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
        ground.contype = ground.conaffinity = 0
        self.model = spec.compile()
        self.model.opt.timestep = CONTROL_PERIOD / substeps
        self._bare = _without_motors(spec)
        self._bare.opt.timestep = self.model.opt.timestep
        self._dry = motors.friction(self._bare)
        bodies = bodies or Bodies(self.model, [Change()])
        with wp.ScopedDevice(self._wp):
            wanted = [f"mujoco_warp._src.{name}" for name in MODULES] + [kernels.__name__]
            wp.force_load(self._wp, [wp.get_module(name) for name in wanted], max_workers=COMPILERS)
            self._place(deterministic)
            self._randomisable(bodies)
            self._ground(terrain)
            self._views()
            count = branches or (BRANCHES if self.device.type == "cuda" and worlds >= BRANCH_WORLDS else 1)
            bounds = [worlds * k // count for k in range(count + 1)]
            self._parts = [self._part(slice(*pair)) for pair in itertools.pairwise(bounds)]
            self._graph = self._capture()

    def step(self, target: Tensor) -> None:
        self._previous.copy_(self._target)
        self._target.copy_(target)
        if self._graph is None:
            with wp.ScopedDevice(self._wp):
                for part in self._parts:
                    part.period()
        else:
            wp.capture_launch(self._graph, stream=self._stream())

    def reset(self, mask: Tensor, qpos: Tensor, qvel: Tensor, parameters: Parameters) -> None:
        given = [mask, qpos, qvel, *parameters.parts()]
        wp.launch(
            kernels.reset_worlds,
            dim=self.worlds,
            inputs=[*(_array(x) for x in given), self._most_kd, most_damping(self.model.opt.timestep), *self._bank],
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
        data = mujoco.MjData(self._bare)
        mujoco.mj_resetDataKeyframe(self._bare, data, 0)
        mujoco.mj_forward(self._bare, data)
        self._m = mjw.put_model(self._bare)
        self._m.opt.iterations, self._m.opt.ls_iterations = ITERATIONS, LS_ITERATIONS
        self._m.opt.warn_overflow = 0
        # nothing is damped but by the motors, which push on the joints themselves: no matrix for that either
        self._m.opt.disableflags |= mjw.DisableBit.EULERDAMP
        # on a GPU both are faster: no test for an early end, no guess besides the last step's acceleration
        self._m.opt.graph_conditional = False
        self._m.opt.run_qacc_smooth = False
        # one warp a world for its 18 x 18 matrix: 1.5 % more steps a second than MuJoCo Warp's own choice on one H200
        self._m.block_dim.update_gradient_cholesky = 32
        if deterministic:
            self._m.opt.deterministic = mjw.DeterminismType.ALL
        self._d = mjw.put_data(self._bare, data, nworld=self.worlds, nconmax=CONTACTS, njmax=CONSTRAINTS)
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
        gains = self.model.actuator_gainprm[:, 0], -self.model.actuator_biasprm[:, 2]
        self._kp, self._kd = (wp.array(np.tile(x, (self.worlds, 1)), dtype=float) for x in gains)
        limited = self.model.actuator_forcelimited.astype(bool)
        limit = np.where(limited, self.model.actuator_forcerange[:, 1], np.inf)
        self._drives = [wp.array(x, dtype=float) for x in (limit, *self._dry)]
        self._most_kd = wp.array(motors.stopping(self.model), dtype=float)
        self._friction = wp.full(self.worlds, 1.0, dtype=float)
        dead = np.tile(np.array(solref(0.0), np.float32), (self.worlds, 1))
        self._solref = wp.array(dead, dtype=float)
        self._impedance = wp.full(self.worlds, IMPEDANCE, dtype=float)
        self._delay = wp.zeros(self.worlds, dtype=int)

    def _ground(self, terrain: Terrain) -> None:
        """Lay the terrain, and make room for what touches it."""
        spheres = collider_ids(self.model)
        self.colliders = tuple(self.model.geom(g).name for g in spheres)
        count = len(spheres)
        self._touched = wp.zeros((self.worlds, count), dtype=wp.uint8)
        self._slots = wp.full((self.worlds, count), wp.vec2i(-1, -1), dtype=wp.vec2i)
        self._forces = wp.zeros((self.worlds, count), dtype=wp.vec3)
        self._surface = [
            wp.array(terrain.corners, dtype=wp.vec4),
            wp.array(ceiling(terrain), dtype=float),
            *(terrain.x0, terrain.y0, CELL),
            wp.array(np.array(spheres, np.int32), dtype=int),
            wp.array(self.model.geom_size[spheres, 0].astype(np.float32), dtype=float),
            self.model.geom("ground").id,
        ]

    def _views(self) -> None:
        """Torch tensors over the arrays that the environment reads and writes."""
        self._target_wp = wp.zeros((self.worlds, self.model.nu), dtype=float)
        self._previous_wp = wp.zeros((self.worlds, self.model.nu), dtype=float)
        self._fault = wp.zeros(self.worlds, dtype=wp.uint8)
        self._faults = wp.zeros(1, dtype=int)
        self._top_speed = wp.zeros(self.worlds, dtype=float)
        d = self._d
        self._torque = wp.zeros((self.worlds, self.model.nu), dtype=float)
        self.qpos, self.qvel, self.torque = (wp.to_torch(x) for x in (d.qpos, d.qvel, self._torque))
        self._target, self._previous = wp.to_torch(self._target_wp), wp.to_torch(self._previous_wp)
        self._target.copy_(self.qpos[:, 7:])
        self.push = wp.to_torch(d.xfrc_applied)[:, 1, :3]
        self.contact_force = wp.to_torch(self._forces)
        self.touched = wp.to_torch(self._touched).view(torch.bool)
        self.fault = wp.to_torch(self._fault).view(torch.bool)
        self.faults = wp.to_torch(self._faults)[0]
        self.top_speed = wp.to_torch(self._top_speed)
        m = self._m
        kept = {name: getattr(m, name) for name in FIELDS} | {"kp": self._kp, "kd": self._kd}
        kept |= {"qpos": d.qpos, "qvel": d.qvel, "qacc_warmstart": d.qacc_warmstart, "time": d.time}
        kept |= {"target": self._target_wp, "friction": self._friction, "solref": self._solref}
        kept |= {"impedance": self._impedance, "delay": self._delay}
        kept |= {"push": d.xfrc_applied, "faults": self._faults, "top_speed": self._top_speed}
        self._state = {name: wp.to_torch(array) for name, array in kept.items()}
        self._reset_outputs = [getattr(m, name) for name in FIELDS] + [
            *(self._kp, self._kd, d.qpos, d.qvel, d.qacc_warmstart),
            *(self._target_wp, self._friction, self._solref, self._impedance, self._delay),
        ]

    def _part(self, rows: slice) -> "Part":
        m = dataclasses.replace(self._m, **{name: getattr(self._m, name)[rows] for name in FIELDS})
        m.callback = mjw.Callback()
        arrays = {
            "kp": self._kp,
            "kd": self._kd,
            "torque": self._torque,
            "target": self._target_wp,
            "previous": self._previous_wp,
            "delay": self._delay,
            "friction": self._friction,
            "solref": self._solref,
            "impedance": self._impedance,
            "touched": self._touched,
            "slots": self._slots,
            "forces": self._forces,
            "top_speed": self._top_speed,
            "fault": self._fault,
        }
        arrays = {name: array[rows] for name, array in arrays.items()}
        shared = (self._surface, self._home, self._faults, self._substeps, self._drives)
        return Part(m, worlds_of(self._d, rows), *shared, **arrays)

    def _capture(self) -> Any:
        """Compile every kernel by running once, undo that step, and record the graph."""
        if self.device.type != "cuda":
            return None
        before = [x.clone() for x in (self.qpos, self.qvel)]
        for part in self._parts:
            part.period()
        self.qpos.copy_(before[0])
        self.qvel.copy_(before[1])
        wp.to_torch(self._d.qacc_warmstart).zero_()
        self.top_speed.zero_()
        streams = [wp.Stream(self._wp) for _ in self._parts[1:]]
        with wp.ScopedCapture() as capture:
            for part, stream in zip(self._parts[1:], streams, strict=True):
                stream.wait_event(self._wp.stream.record_event())
                with wp.ScopedStream(stream, sync_enter=False):
                    part.period()
            self._parts[0].period()
            for stream in streams:
                self._wp.stream.wait_event(stream.record_event())
        return capture.graph

    def _stream(self) -> Any:
        """Torch's stream, so that neither side waits for the other."""
        return wp.stream_from_torch(torch.cuda.current_stream()) if self.device.type == "cuda" else None


def _array(tensor: Tensor) -> Any:
    """A Warp array over a tensor; masks travel as bytes."""
    tensor = tensor.contiguous()
    return wp.from_torch(tensor.view(torch.uint8) if tensor.dtype == torch.bool else tensor)


def _without_motors(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """The model without actuators, whose work we do in a kernel of our own."""
    for motor in list(spec.actuators):
        spec.delete(motor)
    for key in spec.keys:
        key.ctrl = []
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    return spec.compile()
