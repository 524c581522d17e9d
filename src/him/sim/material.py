"""Friction and restitution of a contact, as MuJoCo wants them.

MuJoCo has no restitution. A contact is a spring and damper in acceleration units, and a lightly damped spring
throws back what it receives. The direct format of ``solref`` (-stiffness, -damping) makes that exact; the
(time constant, damping ratio) format gains energy at a restitution of 0.9.
"""

import math
from typing import Any, TypeVar

Number = TypeVar("Number")

FREQUENCY = 70.0
"""Natural frequency of a contact in rad/s. A spring this soft is resolved by 5 ms substeps (nine in a half
period), so that a bounce gains no energy whatever the phase of impact; a drop from 1 m sinks in by 2.4 cm at
restitution 0 and 4.5 cm at 0.5. At 100 rad/s the rebound of a dead ball already scatters up to 0.21."""

IMPEDANCE = 0.95
"""Constant constraint impedance: a standing robot sinks in by 0.1 mm."""

SOLIMP = (IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2.0)

GROUND_FRICTION = 1.0
GROUND_RESTITUTION = 0.0
"""The terrain's own coefficients; the paper's simulator averages them with the robot's."""

MAX_RESTITUTION = 0.95
"""Above this the scatter of single bounces would exceed 1, that is, gain energy."""

SPIN, ROLL = 0.005, 0.0001
"""Torsional and rolling friction, MuJoCo's defaults; unused by contacts of dimension 3."""


def friction(robot: Any) -> Any:
    """Coefficient of the contact between a robot of this coefficient and the ground."""
    return 0.5 * (robot + GROUND_FRICTION)


def restitution(robot: Any) -> Any:
    """Restitution of the contact between a robot of this restitution and the ground."""
    return 0.5 * (robot + GROUND_RESTITUTION)


def damping_ratio(e: Any, log: Any = math.log, sqrt: Any = math.sqrt) -> Any:
    """Damping ratio at which a bounce returns the share e of its speed (e above 0).

    The textbook relation of a half period, with e lowered a little in the middle of the range, where the
    contact lets go before the spring has relaxed (measured over drops from 0.1 to 1 m).
    """
    decay = log(e * (1.0 - 0.17 * (1.0 - e)))
    return -decay / sqrt(math.pi**2 + decay * decay)


def solref(e: float) -> tuple[float, float]:
    """Direct-format ``solref`` of a contact whose restitution is e."""
    ratio = min(damping_ratio(min(max(e, 1e-9), MAX_RESTITUTION)), 1.0)
    return -(FREQUENCY**2), -2.0 * ratio * FREQUENCY
