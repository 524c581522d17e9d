"""MuJoCo on the CPU: `mujoco.batch` with native threads, for laptops, tests and rehearsals."""

import os

import mujoco
import mujoco.batch
import numpy as np
import torch
from torch import Tensor

from him.robots import Robot
from him.sim import material, motors
from him.sim import model as builder
from him.sim.bodies import FIELDS, Bodies, Change
from him.sim.engine import CONTROL_PERIOD, DECIMATION, MAX_RATE, MAX_SPEED, Parameters
from him.sim.ground import collider_ids
from him.sim.native_contacts import world
from him.terrain import Terrain

FOUND, FORCE, NETFORCE = 1, 2, 3
"""Bits and choice of a contact sensor: was there a contact, and the sum of its forces in the world frame."""


class NativeEngine:
    """Implements `him.sim.engine.Engine`."""

    def __init__(
        self,
        robot: Robot,
        terrain: Terrain,
        worlds: int,
        bodies: Bodies | None = None,
        threads: int = 0,
        substeps: int = DECIMATION,
    ) -> None:
        self.worlds, self._substeps = worlds, substeps
        self.device = torch.device("cpu")
        spec = builder.build(robot)
        robot_alone = spec.compile()
        self.colliders = tuple(robot_alone.geom(g).name for g in collider_ids(robot_alone))
        for name in self.colliders:
            _contact_sensor(spec, name)
        self.model = world(spec, terrain, CONTROL_PERIOD / substeps)
        self._most_kd = motors.stopping(self.model)
        self._spheres = collider_ids(self.model)
        self.model.geom_solimp[self._spheres] = material.SOLIMP
        self.model.geom_solref[self._spheres] = material.solref(0.0)
        self._home = self.model.key_qpos[0]
        self._motors = slice(0, robot_alone.nu)
        self._bodies = bodies or Bodies(robot_alone, [Change()])
        self._place(threads)
        self._tensors()

    def step(self, target: Tensor) -> None:
        wanted = target.numpy()
        for substep in range(self._substeps):
            late = (self._delay * self._substeps > substep * DECIMATION)[:, None]
            self._controls[:, substep, self._motors] = np.where(late, self._target, wanted)
        self._target[:] = wanted
        self._batch.xfrc_applied[:, 1, :3] = self.push
        self._batch.rollout(self._substeps, self._controls, record=tuple(self._record), out=self._record)
        self._read()

    def reset(self, mask: Tensor, qpos: Tensor, qvel: Tensor, parameters: Parameters) -> None:
        rows = np.flatnonzero(mask.numpy())
        if not len(rows):
            return
        self._batch.qpos[rows] = qpos[rows].numpy()
        self._batch.qvel[rows] = qvel[rows].numpy()
        self._batch.qacc_warmstart[rows] = 0.0
        self._target[rows] = qpos[rows, 7:].numpy()
        picked = parameters.body[rows].numpy()
        for name in FIELDS:
            self._fields[name][rows] = self._bodies.rows[name][picked]
        self._fields["geom_friction"][rows[:, None], self._spheres, 0] = parameters.friction[rows, None]
        # as written, not as single precision has it: the same settings shall give the same run
        impedance = parameters.impedance[rows].double().numpy().round(6)
        self._fields["geom_solimp"][rows[:, None], self._spheres, :2] = impedance[:, None, None]
        solref = np.maximum(parameters.solref[rows].numpy(), (-np.inf, material.most_damping(self.model.opt.timestep)))
        self._fields["geom_solref"][rows[:, None], self._spheres] = solref[:, None]
        kp, kd = parameters.kp[rows].numpy(), np.minimum(parameters.kd[rows].numpy(), self._most_kd)
        self._fields["actuator_gainprm"][rows, self._motors, 0] = kp
        self._fields["actuator_biasprm"][rows, self._motors, 1] = -kp
        self._fields["actuator_biasprm"][rows, self._motors, 2] = -kd
        self._delay[rows] = parameters.delay[rows].numpy()
        self.qpos[rows] = qpos[rows]
        self.qvel[rows] = qvel[rows]

    def state_dict(self) -> dict[str, Tensor]:
        return {name: torch.from_numpy(array.copy()) for name, array in self._state().items()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        for name, array in self._state().items():
            array[:] = state[name].numpy()
        self.qpos.copy_(torch.from_numpy(self._batch.qpos))
        self.qvel.copy_(torch.from_numpy(self._batch.qvel))

    def _state(self) -> dict[str, np.ndarray]:
        own = {"delay": self._delay, "target": self._target}
        own |= {name: getattr(self, name).numpy() for name in ("push", "top_speed")}
        kept = {name: getattr(self._batch, name) for name in ("qpos", "qvel", "qacc_warmstart", "time")}
        return self._fields | own | kept | {"faults": self.faults.view(1).numpy()}

    def _place(self, threads: int) -> None:
        """All worlds at home, each with its own copy of what may differ."""
        self._batch = mujoco.batch.Batch(self.model, self.worlds, nthread=threads or fair_threads())
        varied = (*FIELDS, "geom_friction", "geom_solref", "geom_solimp", "actuator_gainprm", "actuator_biasprm")
        self._fields = {name: self._batch.expand(name) for name in varied}
        for name in FIELDS:
            self._fields[name][:] = self._bodies.rows[name][0]
        self._batch.reset(keyframe=0)
        self._delay = np.zeros(self.worlds, np.int64)
        self._target = np.tile(self._home[7:], (self.worlds, 1))
        self._controls = np.zeros((self.worlds, self._substeps, self.model.nu))
        shapes = {"sensordata": self.model.nsensordata, "actuator_force": self.model.nu, "qvel": self.model.nv}
        self._record = {k: np.zeros((self.worlds, self._substeps, n)) for k, n in shapes.items()}

    def _tensors(self) -> None:
        n = self.worlds
        self.qpos = torch.from_numpy(self._batch.qpos.astype(np.float32))
        self.qvel = torch.zeros(n, self.model.nv)
        self.torque = torch.zeros(n, self._motors.stop)
        self.contact_force = torch.zeros(n, len(self.colliders), 3)
        self.touched = torch.zeros(n, len(self.colliders), dtype=torch.bool)
        self.push = torch.zeros(n, 3)
        self.fault = torch.zeros(n, dtype=torch.bool)
        self.faults = torch.zeros((), dtype=torch.int32)
        self.top_speed = torch.zeros(n)

    def _read(self) -> None:
        """Copy out what the step did, and put worlds home whose numbers have gone bad."""
        base = self._record["qvel"][:, :, :3]
        speed = np.sqrt(np.einsum("wsi,wsi->ws", base, base).max(axis=1))
        qpos, qvel = self._batch.qpos, self._batch.qvel
        # a sum is finite only if all of it is, and what is not a number is never smaller than another
        good = np.isfinite(qpos.sum(axis=1)) & (speed < MAX_SPEED) & (np.abs(qvel[:, 3:]).max(axis=1) < MAX_RATE)
        good &= np.asarray(self._batch.status) == 0
        # MuJoCo itself resets a world that is not finite, to its own defaults, and only counts a warning
        good &= ~self._batch.warning[..., 1].any(axis=1)
        bad = np.flatnonzero(~good)
        if len(bad):
            self._batch.reset(bad, keyframe=0)
        contacts = self._record["sensordata"].reshape(self.worlds, self._substeps, len(self.colliders), 4)
        for tensor, value in (
            (self.qpos, qpos),
            (self.qvel, qvel),
            (self.torque, self._record["actuator_force"][:, -1, self._motors]),
            (self.contact_force, -contacts[:, -1, :, 1:]),
            (self.touched, (contacts[..., 0] > 0).any(axis=1)),
            (self.fault, ~good),
        ):
            tensor.copy_(torch.from_numpy(value))
        self.faults += len(bad)
        self.top_speed.copy_(torch.fmax(self.top_speed, torch.from_numpy(speed)))


def fair_threads() -> int:
    """Cores of this process, shared with those that torchrun started beside it on this machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


def _contact_sensor(spec: mujoco.MjSpec, geom: str) -> None:
    sensor = spec.add_sensor(name=f"{geom}_contact", type=mujoco.mjtSensor.mjSENS_CONTACT)
    sensor.objtype, sensor.objname = mujoco.mjtObj.mjOBJ_GEOM, geom
    sensor.intprm[:3] = FOUND | FORCE, NETFORCE, 1
