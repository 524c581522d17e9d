from types import SimpleNamespace

import numpy as np
import pytest
import torch

from him import robots
from him.terrain import flat
from him.view import live


class Task(SimpleNamespace):
    """As much of a task as is watched."""

    def step(self, action: torch.Tensor) -> str:
        self.engine.qpos[:, 0] += 0.1
        return "stepped"


@pytest.fixture
def task() -> Task:
    robot = robots.load("go1")
    home = torch.tensor([0, 0, robot.standing_height, 1, 0, 0, 0, *robot.default_joint_pos])
    return Task(robot=robot, num_envs=3, engine=SimpleNamespace(qpos=home.repeat(3, 1)))


def test_steps_are_shown_while_watched(task, monkeypatch):
    with live.watch(task, flat(10.0), port=8138) as view:
        shown: list[np.ndarray] = []
        monkeypatch.setattr(view.page, "update", lambda qpos: shown.append(qpos.copy()))
        monkeypatch.setattr(view.page.server, "get_clients", lambda: {0: "somebody"})
        assert task.step(torch.zeros(3, 12)) == "stepped"
        assert task.step(torch.zeros(3, 12)) == "stepped"
        assert len(shown) == 1, "the second step came before a picture was due"
        assert shown[0].shape == (3, 19)
        assert shown[0][0, 0] == pytest.approx(0.1)
    task.step(torch.zeros(3, 12))
    assert len(shown) == 1


def test_nothing_is_fetched_while_nobody_looks(task):
    class Untouchable:
        def __getitem__(self, key: object) -> None:
            raise AssertionError("positions were read")

    with live.watch(task, flat(10.0), port=8138) as view:
        view.update(Untouchable())


def test_the_page_takes_positions(task):
    with live.watch(task, flat(10.0), port=8138) as view:
        view.page.update(task.engine.qpos.numpy())
        [handle, *_] = [group.handle for group in view.page._scene._mesh_groups]
        assert np.isfinite(handle.batched_positions).all()
        assert len(handle.batched_positions) % 3 == 0
