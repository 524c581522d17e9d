"""The terrain's contacts in MuJoCo C: our function in its collision table, compiled by Numba.

libmujoco exports the table of collision functions. The entry (height field, sphere) is replaced by one that
recognises our terrain and hands every other height field to MuJoCo's own function, so that other models in the
same process keep their behaviour. The heights travel inside the model, as the height field's data: a copied
model stays whole, and nothing has to be kept alive beside it.
"""

import ctypes
import functools
from pathlib import Path
from typing import Any

import mujoco
import numba
import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic

from him.errors import HimError
from him.sim import contact, motors
from him.sim.engine import SUBSTEP
from him.sim.ground import ceiling
from him.terrain import CELL, Terrain

MAGIC = 17052024.0
"""Marks a height field as ours; MuJoCo's own data lie between 0 and 1."""

COLUMNS = 8
"""Width of the height field's data, nominal: its first row is the header magic, nx, ny, x0, y0, cell."""

VAST = 1.0e4
"""Half the height field's nominal extent in metres, so that no robot leaves its bounding box."""

HFIELD, SPHERE = int(mujoco.mjtGeom.mjGEOM_HFIELD), int(mujoco.mjtGeom.mjGEOM_SPHERE)


def add_ground(spec: mujoco.MjSpec, terrain: Terrain) -> mujoco.MjModel:
    """Lay the terrain under a robot and compile: a height field that only `install` understands."""
    install()
    ny, nx, _ = terrain.corners.shape
    rows = 1 + -(-nx * ny * 5 // COLUMNS)
    field = spec.add_hfield(name="terrain", nrow=rows, ncol=COLUMNS, size=[VAST] * 4)
    field.userdata = np.zeros(rows * COLUMNS, np.float32)
    ground = spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="terrain")
    ground.contype, ground.conaffinity, ground.group = 1, 0, 5
    model = spec.compile()
    # the compiler scales a height field to 0..1, so the heights are written afterwards
    data = model.hfield_data[model.hfield("terrain").adr[0] :]
    data[:6] = MAGIC, nx, ny, terrain.x0, terrain.y0, CELL
    data[COLUMNS : COLUMNS + nx * ny * 4] = terrain.corners.ravel()
    data[COLUMNS + nx * ny * 4 : COLUMNS + nx * ny * 5] = ceiling(terrain).ravel()
    return model


def world(spec: mujoco.MjSpec, terrain: Terrain, timestep: float = SUBSTEP) -> mujoco.MjModel:
    """The robot as it is trained: on our terrain, its joints' friction as torques."""
    motors.add_brakes(spec)
    model = add_ground(spec, terrain)
    model.opt.timestep = timestep
    motors.set_brakes(model)
    return model


@functools.cache
def install() -> tuple[Any, Any]:
    """Put our function into MuJoCo's collision table, once in a process. Who is called from there, ours and the one
    it replaces, must live on: the cache keeps them."""
    signature = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int, ctypes.c_int, ctypes.c_double
    )
    kinds = int(mujoco.mjtGeom.mjNGEOMTYPES)
    table = (ctypes.c_void_p * kinds * kinds).in_dll(_libmujoco(), "mjCOLLISIONFUNC")
    original = signature(table[HFIELD][SPHERE])
    ours = numba.cfunc("i4(i8,i8,i8,i4,i4,f8)", nogil=True)(_collide(original))
    table[HFIELD][SPHERE] = ours.address
    return ours, original


def _collide(original: Any) -> Any:
    """MuJoCo's collision function for our terrain, in the shape Numba compiles."""
    sphere_contacts = numba.njit(contact.sphere_contacts)
    dataid_at, data_at, adr_at, size_at, xpos_at = _offsets()

    def collide(m: Any, d: Any, con: Any, g1: Any, g2: Any, margin: Any) -> Any:
        field = carray(_pointer(_at(m + dataid_at)), 1 << 20, np.int32)[g1]
        start = carray(_pointer(_at(m + adr_at)), 1 << 20, np.int32)[field]
        data = _at(m + data_at) + 4 * start
        header = carray(_pointer(data), COLUMNS, np.float32)
        if header[0] != MAGIC:
            return original(m, d, con, g1, g2, margin)
        nx = int(header[1])
        ny = int(header[2])
        heights = data + 4 * COLUMNS
        corners = carray(_pointer(heights), (ny, nx, 4), np.float32)
        top = carray(_pointer(heights + 16 * nx * ny), (ny, nx), np.float32)
        p = carray(_pointer(_at(d + xpos_at) + 24 * g2), 3, np.float64)
        r = carray(_pointer(_at(m + size_at) + 24 * g2), 3, np.float64)[0]
        x0 = float(header[3])
        y0 = float(header[4])
        d1, ax, ay, az, d2, bx, by, bz = sphere_contacts(corners, top, x0, y0, CELL, nx, ny, p[0], p[1], p[2], r)
        out = carray(_pointer(con), (2, 10), np.float64)
        count = 0
        for s in range(2):
            if s == 0:
                dist, x, y, z = d1, ax, ay, az
            else:
                dist, x, y, z = d2, bx, by, bz
            if dist < 0.0:
                reach = r + 0.5 * dist
                row = out[count]
                row[0] = dist
                row[1], row[2], row[3] = p[0] - x * reach, p[1] - y * reach, p[2] - z * reach
                row[4], row[5], row[6] = x, y, z
                if abs(y) > 0.5:
                    row[7], row[8], row[9] = 1.0 - x * x, -x * y, -x * z
                else:
                    row[7], row[8], row[9] = -y * x, 1.0 - y * y, -y * z
                count += 1
        return count

    return collide


def _libmujoco() -> ctypes.CDLL:
    [path] = Path(mujoco.__file__).parent.glob("libmujoco.*")
    return ctypes.CDLL(str(path))


def _offsets() -> tuple[int, ...]:
    """Where in MuJoCo's structs the pointers lie that we need: found by looking for their known values."""
    spec = mujoco.MjSpec()
    spec.add_hfield(name="probe", nrow=2, ncol=2, size=[1, 1, 1, 1]).userdata = np.zeros(4, np.float32)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="probe")
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0])
    model = spec.compile()
    data = mujoco.MjData(model)
    fields = [getattr(model, name) for name in ("geom_dataid", "hfield_data", "hfield_adr", "geom_size")]
    return (*(_offset(model._address, x) for x in fields), _offset(data._address, data.geom_xpos))


def _offset(struct: int, field: Any) -> int:
    """Position of a field's pointer in a struct. Empty fields before it point to the same place: the last counts."""
    for at in range(0, 200_000, 8):
        if _word(struct + at) == field.ctypes.data:
            while _word(struct + at + 8) == field.ctypes.data:
                at += 8
            return at
    raise HimError(f"MuJoCo {mujoco.__version__} is not laid out as expected; install mujoco 4.0.")


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


@intrinsic
def _pointer(context: Any, address: Any) -> Any:
    """An integer as the pointer it is."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return types.voidptr(address), generate


@numba.njit
def _at(address: Any) -> Any:
    """The pointer stored at an address."""
    return carray(_pointer(address), 1, np.int64)[0]
