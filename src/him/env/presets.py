"""Tasks by name; the learner's half of a preset is in `him.learn.presets`."""

from dataclasses import dataclass, field, replace

from him.env.settings import Commands, Randomisation, Rewards, TaskSettings
from him.terrain import Shares, TerrainSettings


@dataclass(frozen=True)
class World:
    """Task and terrain together."""

    task: TaskSettings = field(default_factory=TaskSettings)
    terrain: TerrainSettings = field(default_factory=TerrainSettings)
    substeps: int = 4
    """Physics steps in a control period of 20 ms. Fewer are faster and coarser."""


AS_PRINTED = Rewards(stand_still=0.0, overspeed=0.0, following=0.0, trunk_clearance=0.0, ease=1.0)
"""The paper's rewards, all along a run."""


def default() -> World:
    """What measures best, see docs/decisions.md."""
    return World()


def paper() -> World:
    """As printed, but for commands every 25 steps (no robot would leave its platform) and the share of zeros."""
    return World(
        task=TaskSettings(
            rewards=AS_PRINTED,
            commands=Commands(turn_share=0.0, straight_share=0.0, forward_share=0.0),
            randomisation=Randomisation(restitution=(0.0, 1.0)),
            episode_seconds=20.0,
            revisit=0.0,
        )
    )


def release() -> World:
    """The authors' published ranges, where the task has a setting for them (their facts: docs/decisions.md)."""
    randomisation = Randomisation(
        base_mass=(1.0, 1.0),
        link_mass=(1.0, 1.0),
        com=0.05,
        payload=(-1.0, 2.0),
        friction=(0.2, 1.25),
        restitution=(0.0, 0.0),
        strength=(1.0, 1.0),
        kp=(0.9, 1.1),
        kd=(0.9, 1.1),
        push=1.0,
        push_seconds=16.0,
    )
    commands = Commands(
        smooth_x=2.0,
        smooth_yaw=1.57,
        complex_yaw=1.57,
        zero_share=0.05,
        turn_share=0.0,
        straight_share=0.0,
        forward_share=0.0,
    )
    return World(
        task=TaskSettings(
            rewards=AS_PRINTED,
            commands=commands,
            randomisation=randomisation,
            start_level=5,
            episode_seconds=20.0,
            revisit=0.0,
        )
    )


def laptop() -> World:
    """First steps on flat ground: what two cores learn in minutes.

    Commands reach beyond what is checked at the end (0.5 m/s): under gentle ones standing still already earns most of
    the tracking reward, and robots content themselves with it. Pushes teach them to catch themselves: without, those
    that walk slowly and lean fall.
    """
    commands = Commands(smooth_x=1.0, y=0.7, smooth_yaw=1.0)
    calm = Randomisation(
        com=0.03,
        payload=(-0.5, 1.0),
        friction=(1.0, 2.0),
        restitution=(0.0, 0.0),
        force=10.0,
        joints=(0.8, 1.2),
        push=0.5,
        push_seconds=4.0,
    )
    rewards = Rewards(
        orientation=-1.0,
        stand_still=-0.1,
        following=1.5,
        following_from=0.15,
        following_until=0.4,
        ease_from=0.15,
        ease_until=0.4,
        trunk_clearance=-40.0,
    )
    shares = Shares(slope=0.0, rough_slope=0.0, stairs=0.0, obstacles=0.0, flat=1.0)
    task = TaskSettings(rewards=rewards, commands=commands, randomisation=calm, curriculum=False, spawn_speed=0.2)
    return World(task=task, terrain=TerrainSettings(shares=shares, columns=4, levels=1, border=20.0), substeps=2)


def flat() -> World:
    """The default task on flat ground: where Walk These Ways was trained."""
    shares = Shares(slope=0.0, rough_slope=0.0, stairs=0.0, obstacles=0.0, flat=1.0)
    task = replace(default().task, curriculum=False)
    return World(task=task, terrain=TerrainSettings(shares=shares, columns=10, levels=1, border=40.0))


def tune() -> World:
    """The default task as it is at the end of a run: nothing is eased, and robots begin on levels up to 6."""
    task = default().task
    rewards = replace(task.rewards, ease=1.0, following_from=0.0, following_until=1e-3)
    return World(task=replace(task, rewards=rewards, start_level=6))


WORLDS = {"default": default, "paper": paper, "release": release, "laptop": laptop, "flat": flat, "tune": tune}
