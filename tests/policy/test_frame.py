import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from him.policy import FRAME_SIZE, OBS_TERMS, frame, gravity_direction
from him.policy.frame import SCALES

directions = arrays(np.float64, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 0.1)


def rotation(q):
    """Rotation matrix of a quaternion by turning the axes with quaternion products."""
    w, v = q[0], q[1:]
    return np.stack([e + 2 * w * np.cross(v, e) + 2 * np.cross(v, np.cross(v, e)) for e in np.eye(3)], axis=1)


def test_frame_is_the_paper_s_45_numbers():
    assert FRAME_SIZE == 45
    assert [(term.name, term.size) for term in OBS_TERMS][:3] == [
        ("command", 3),
        ("angular_velocity", 3),
        ("gravity", 3),
    ]
    np.testing.assert_array_equal(SCALES, [2, 2, 0.25, *[0.25] * 3, *[1] * 3, *[1] * 12, *[0.05] * 12, *[1] * 12])


def test_frame_scales_each_term_in_its_place():
    parts = [np.full(3, 1.0), np.full(3, 4.0), np.array([0.0, 0.0, -1.0])]
    joints = [np.arange(12.0), np.full(12, 20.0), np.full(12, 7.0)]
    result = frame(*parts, *joints)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result[:9], [2, 2, 0.25, 1, 1, 1, 0, 0, -1])
    np.testing.assert_allclose(result[9:21], np.arange(12))
    np.testing.assert_allclose(result[21:33], 1.0)
    np.testing.assert_allclose(result[33:], 7.0)


def test_frames_come_in_batches_too():
    batch = [np.zeros((5, term.size)) for term in OBS_TERMS]
    batch[2][:, 2] = -1.0
    assert frame(*batch).shape == (5, 45)


def test_policy_s_own_scales_are_obeyed():
    zero, down = np.zeros(12), np.array([0.0, 0.0, -1.0])
    scales = np.full(45, 3.0)
    assert frame(np.ones(3), np.zeros(3), down, zero, zero, zero, scales)[0] == 3.0


@pytest.mark.parametrize("gravity", [[0.0, 0.0, -9.7], [0.0, 0.0, 0.0], [np.nan, 0.0, -1.0]])
def test_gravity_that_is_no_unit_vector_is_refused(gravity):
    with pytest.raises(ValueError, match="unit vector"):
        frame(np.zeros(3), np.zeros(3), gravity, np.zeros(12), np.zeros(12), np.zeros(12))


def test_term_of_wrong_size_is_named():
    with pytest.raises(ValueError, match="joint_vel"):
        frame(np.zeros(3), np.zeros(3), [0, 0, -1], np.zeros(12), np.zeros(11), np.zeros(12))


@given(directions)
def test_gravity_direction_turns_the_world_s_down_into_the_body(q):
    q = q / np.linalg.norm(q)
    np.testing.assert_allclose(gravity_direction(q), rotation(q).T @ [0.0, 0.0, -1.0], atol=1e-12)


def test_nose_down_shows_gravity_forward():
    half = 0.3 / 2
    np.testing.assert_allclose(
        gravity_direction([np.cos(half), 0.0, np.sin(half), 0.0]),
        [np.sin(0.3), 0.0, -np.cos(0.3)],
        atol=1e-12,
    )


@pytest.mark.parametrize("q", [[9.7, 0, 0, 0], [0, 0, 0, 0], [np.nan, 0, 0, 1], [np.inf, 0, 0, 0]])
def test_quaternion_that_is_none_is_refused(q):
    with pytest.raises(ValueError, match="length 1"):
        gravity_direction(q)
