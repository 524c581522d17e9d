"""The controller's states and the only ways between them."""

from enum import IntEnum


class Mode(IntEnum):
    """What the robot is doing."""

    PASSIVE = 0
    """Motors off."""
    STAND_UP = 1
    """Moving to the default pose."""
    STAND = 2
    """Holding the default pose with the stand gains."""
    WALK = 3
    """The policy is in charge."""
    SIT = 4
    """Lying down; ends in PASSIVE."""
    DAMPING = 5
    """Joints brake. Left by a deliberate restart alone."""


class Request(IntEnum):
    """What an operator can ask for."""

    NONE = 0
    STAND = 1
    WALK = 2
    SIT = 3
    DAMPING = 4
    RESTART = 5
    QUIT = 6


ACTIVE = frozenset({Mode.STAND_UP, Mode.STAND, Mode.WALK, Mode.SIT})
"""Modes in which motors hold positions, and every fault ends in damping."""

TRANSITIONS = {
    (Mode.PASSIVE, Request.STAND): Mode.STAND_UP,
    (Mode.STAND_UP, Request.SIT): Mode.SIT,
    (Mode.STAND, Request.WALK): Mode.WALK,
    (Mode.STAND, Request.SIT): Mode.SIT,
    (Mode.WALK, Request.STAND): Mode.STAND_UP,
    (Mode.WALK, Request.SIT): Mode.SIT,
    (Mode.SIT, Request.STAND): Mode.STAND_UP,
    (Mode.DAMPING, Request.RESTART): Mode.PASSIVE,
    **{(mode, Request.DAMPING): Mode.DAMPING for mode in Mode},
}
"""Requests that are followed; every other one is refused."""
