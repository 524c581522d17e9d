import json

import pytest

from him import robots
from him.errors import HimError
from him.policy import Contract, Tensor


def changed(contract, **changes) -> str:
    """The contract's JSON with some keys changed, or left out where the value is None."""
    data = json.loads(contract.to_json()) | changes
    return json.dumps({key: value for key, value in data.items() if value is not None})


def test_contract_survives_json(untrained):
    contract = untrained.contract()
    assert Contract.from_json(contract.to_json()) == contract


def test_json_names_everything_a_controller_needs(untrained):
    data = json.loads(untrained.contract().to_json())
    wanted = """version robot method joint_names default_joint_pos joint_limits action_scale action_clip kp kd
        stand_kp stand_kd torque_limits control_dt command_ranges history_length history_order obs_terms
        inputs outputs deployable commit command samples seed"""
    assert set(data) == set(wanted.split())
    assert data["obs_terms"][0] == {"name": "command", "size": 3, "scale": [2.0, 2.0, 0.25]}
    assert data["inputs"] == [{"name": "obs", "shape": ["batch", 6, 45]}]


@pytest.mark.parametrize("name", robots.names())
def test_contract_for_every_robot_takes_its_table(name):
    robot = robots.load(name)
    contract = Contract.for_robot(
        robot,
        method="him",
        command_ranges=((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0)),
        action_clip=10.0,
        deployable=True,
        commit="abc",
        command="him train",
        samples=1,
        seed=0,
    )
    assert contract.robot == name
    assert contract.kp == tuple(robot.kp)
    assert Contract.from_json(contract.to_json()) == contract


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "version 2"),
        ({"version": None}, "version None"),
        ({"kp": None}, "lacks kp"),
        ({"colour": "red"}, "unknown keys: colour"),
        ({"joint_names": ["FR_hip"]}, "order"),
        ({"kp": [20.0] * 11}, "`kp` must hold 12"),
        ({"kd": [-1.0] + [0.5] * 11}, "`kd` has -1.0 at place 0"),
        ({"torque_limits": [float("inf")] * 12}, "torque_limits"),
        ({"default_joint_pos": [float("nan")] * 12}, "default_joint_pos"),
        ({"default_joint_pos": [3.0] * 12}, "outside its limits"),
        ({"joint_limits": [[1.0, -1.0]] * 12}, "crossed"),
        ({"command_ranges": [[-1.0, 1.0]]}, "3 pairs"),
        ({"action_scale": 0.0}, "above 0"),
        ({"action_clip": True}, "above 0"),
        ({"history_order": "oldest first"}, "newest first"),
        ({"history_length": 0}, "at least one frame"),
        ({"obs_terms": [{"name": "command", "size": 3, "scale": [2, 2, 0.25]}]}, "obs_terms must be"),
        ({"obs_terms": [3]}, "list of objects"),
        ({"inputs": []}, "inputs"),
        ({"outputs": [{"name": "action", "shape": ["batch", -12]}]}, "outputs"),
        ({"deployable": "yes"}, "true or false"),
        ({"samples": -1}, "samples"),
        ({"robot": 3}, "robot"),
    ],
)
def test_wrong_contract_is_refused_with_the_reason(untrained, changes, words):
    with pytest.raises(HimError, match=words):
        Contract.from_json(changed(untrained.contract(), **changes))


def test_a_policy_that_is_told_how_to_walk_carries_a_behaviour(untrained):
    inputs = (Tensor("obs", ("batch", 6, 45)), Tensor("behaviour", ("batch", 11)))
    contract = untrained.contract(inputs=inputs, behaviour=tuple(0.1 * i for i in range(11)))
    assert json.loads(contract.to_json())["behaviour"][1] == 0.1
    assert Contract.from_json(contract.to_json()) == contract
    for wrong in ((), (1.0,) * 10, (float("nan"),) * 11):
        with pytest.raises(HimError, match="behaviour"):
            untrained.contract(inputs=inputs, behaviour=wrong)
    with pytest.raises(HimError, match="behaviour"):
        untrained.contract(behaviour=(1.0,) * 11)


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_text_that_is_no_contract_is_refused(text):
    with pytest.raises(HimError, match="JSON"):
        Contract.from_json(text)
