"""Our contacts inside MuJoCo C: what the function finds arrives, and other height fields are left alone."""

import copy

import mujoco
import numpy as np
import pytest

from him.sim import material, native_contacts
from him.sim.colliders import CONTACT
from him.sim.native_contacts import add_ground
from him.terrain import CELL, Terrain, flat
from him.terrain.surface import from_cells
from tests.sim.surface_reference import Surface, ground
from tests.sim.test_contact import SIZE, check, rough, with_numba

SPHERE = mujoco.mjtGeom.mjGEOM_SPHERE


def balls(terrain: Terrain, points: np.ndarray, radii: np.ndarray) -> mujoco.MjModel:
    """Free spheres at these places over the terrain."""
    spec = mujoco.MjSpec()
    for i, (point, radius) in enumerate(zip(points, radii, strict=True)):
        body = spec.worldbody.add_body(name=f"ball{i}", pos=point)
        body.add_freejoint()
        body.add_geom(name=f"ball{i}", type=SPHERE, size=[radius, 0, 0], mass=1.0, **CONTACT)
    return add_ground(spec, terrain)


def contacts(model: mujoco.MjModel) -> list[list[mujoco.MjContact]]:
    """Contacts of each ball, in the order they were written."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ground_id = model.geom("ground").id
    assert all(contact.geom[0] == ground_id for contact in data.contact)
    return [
        [copy.copy(c) for c in data.contact if c.geom[1] == model.geom(f"ball{i}").id] for i in range(model.nbody - 1)
    ]


def test_our_function_is_put_in_mujocos_table_once() -> None:
    """Each time more would be compiled, and put before the last, which nobody keeps alive."""
    ours = native_contacts.install()
    balls(flat(2.0), np.zeros((1, 3)), np.ones(1))
    assert native_contacts.install() is ours


@pytest.mark.parametrize("kind", ["blocks", "mixtures"])
def test_mujoco_receives_distance_place_and_frame(kind: str) -> None:
    rng = np.random.default_rng(11)
    terrain = ground(rough(kind, rng), -SIZE * CELL / 2, -SIZE * CELL / 2)
    surface = Surface(terrain)
    points = rng.uniform(-CELL, CELL, (60, 3))
    radii = rng.choice([0.02, 0.06], 60)
    points[:, 2] = terrain.height(points[:, 0], points[:, 1]) + rng.uniform(-0.5, 2.0, 60) * radii
    alone = with_numba(terrain, points, radii)
    seen = contacts(balls(terrain, points, radii))
    assert {len(found) for found in seen} == {0, 1, 2}
    for point, radius, row, found in zip(points, radii, alone, seen, strict=True):
        expected = [half for half in (row[:4], row[4:]) if half[0] < 0]
        assert len(found) == len(expected)
        for contact, (distance, *normal) in zip(found, expected, strict=True):
            assert contact.dist == pytest.approx(distance, abs=1e-7)
            np.testing.assert_allclose(contact.frame[:3], normal, atol=1e-6)
            np.testing.assert_allclose(contact.pos, point - np.array(normal) * (radius + distance / 2), atol=1e-6)
            axes = contact.frame.reshape(3, 3)
            np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-6)
            assert np.linalg.det(axes) == pytest.approx(1)
        check(terrain, surface, point, radius, row)


def test_two_terrains_in_one_process_do_not_mix() -> None:
    low, high = (ground(from_cells(np.full((SIZE, SIZE), z)), -0.2, -0.2) for z in (0.0, 0.1))
    point, radius = np.array([[0.0, 0.0, 0.115]]), np.array([0.02])
    models = [balls(terrain, point, radius) for terrain in (low, high)]
    assert [len(contacts(model)[0]) for model in models] == [0, 1]
    assert contacts(copy.copy(models[1]))[0][0].dist == pytest.approx(-0.005, abs=1e-7)


def test_nothing_leaves_the_terrain_however_far_it_goes() -> None:
    points = np.array([[9000.0, -9000.0, 0.015], [0.0, 5000.0, 0.5]])
    assert [len(found) for found in contacts(balls(flat(2.0), points, np.array([0.02, 0.02])))] == [1, 0]


def test_other_height_fields_keep_mujocos_own_contacts() -> None:
    """A ramp of MuJoCo's kind, in a process where our function is installed."""
    add_ground(mujoco.MjSpec(), flat(2.0))
    spec = mujoco.MjSpec()
    field = spec.add_hfield(name="ramp", nrow=2, ncol=3, size=[1, 1, 1, 0.1])
    field.userdata = np.array([0, 0.5, 1, 0, 0.5, 1], np.float32)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ramp")
    body = spec.worldbody.add_body(pos=[0.3, 0.1, 0.65 + 0.09 * np.sqrt(1.25)])
    body.add_freejoint()
    body.add_geom(type=SPHERE, size=[0.1, 0, 0])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon >= 1
    assert data.contact.dist.min() == pytest.approx(-0.01, abs=1e-3)
    np.testing.assert_allclose(data.contact.frame[0, :3], np.array([-1, 0, 2]) / np.sqrt(5), atol=0.05)


def test_a_ball_comes_to_rest_where_it_should() -> None:
    """The equilibrium of spring and weight: about 0.1 mm deep, whatever the terrain's height."""
    terrain = ground(from_cells(np.full((SIZE, SIZE), 0.3)), -0.2, -0.2)
    model = balls(terrain, np.array([[0.0, 0.0, 0.33]]), np.array([0.02]))
    model.geom_solref[:], model.geom_solimp[:] = material.solref(0.0), material.SOLIMP
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 400)
    depth = 0.32 - data.qpos[2]
    assert depth == pytest.approx((1 - material.IMPEDANCE) * 9.81 / material.FREQUENCY**2, rel=0.1)
