"""From walking to standing or lying the policy hands over little by little."""

import numpy as np
import pytest

from him.deploy import Mode, Request


@pytest.mark.parametrize(("request_", "mode"), [(Request.SIT, Mode.SIT), (Request.STAND, Mode.STAND)])
def test_who_walks_is_handed_over(rig, request_, mode):
    rig.walk()
    rig.operator.command = np.array([1.0, 0.0, 0.0])
    rig.run(0.1)
    rig.ask(request_, 0.5)
    rig.ask(request_, 0.4)
    assert rig.mode == Mode.STAND_UP
    assert not rig.controller.walker.command.any()
    rig.run(0.2)
    assert rig.mode == mode


def test_the_policy_goes_on_while_it_is_handed_over(rig, policy):
    """Targets and gains go from the policy's to those of standing, without a jump."""
    rig.walk()
    begun = len(rig.link.sent)
    rig.ask(Request.STAND, 0.5)
    decided = rig.controller.walker.decision
    rig.run(0.1)
    assert rig.controller.walker.decision is not decided
    middle = rig.link.sent[begun + 250]
    np.testing.assert_allclose(middle.kp, np.mean([policy.contract.kp, policy.contract.stand_kp], 0), rtol=0.02)
    rig.run(0.5)
    decided = rig.controller.walker.decision
    rig.run(0.1)
    assert rig.controller.walker.decision is decided
    np.testing.assert_allclose(rig.link.sent[-1].q, policy.contract.default_joint_pos)


def test_damping_does_not_wait_for_standing(rig):
    rig.walk()
    rig.ask(Request.SIT, 0.5)
    rig.ask(Request.DAMPING)
    assert rig.mode == Mode.DAMPING
    rig.run(2.0)
    assert rig.mode == Mode.DAMPING
