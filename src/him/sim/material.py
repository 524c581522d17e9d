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
period), so that a bounce gains no energy whatever the phase of impact; a drop from 1 m sinks in by up to 2.1 cm at
restitution 0 and 4.8 cm at 0.5. At 100 rad/s the rebound of a dead ball already scatters up to 0.21."""

IMPEDANCE = 0.98
"""Constraint impedance, the same at every depth. What is left to 1 lets feet creep under a steady load, by much more
than it lets them sink: at 0.95 the stance feet of a walking robot slid at 4 to 9 cm/s far within their friction, which
no kinematics can tell from walking. Beyond 0.98 contacts begin to chatter."""

GRIP = 0.4
"""How far a contact that hardly bounces is damped beyond the critical. Creep falls with damping."""

SPREAD = 0.001, 0.5, 2.0
"""What MuJoCo wants besides of an impedance that changes with depth."""

SOLIMP = (IMPEDANCE, IMPEDANCE, *SPREAD)

GROUND_RESTITUTION = 0.0
"""The terrain's own."""

MAX_RESTITUTION = 0.95
"""Above this the scatter of single bounces would exceed 1, that is, gain energy."""

SPIN, ROLL = 0.005, 0.0001
"""Torsional and rolling friction, MuJoCo's defaults; unused by contacts of dimension 3."""


def friction(robot: Any, ground: float) -> Any:
    """Coefficient of the contact between two coefficients: their mean, as in the paper's simulator."""
    return 0.5 * (robot + ground)


def restitution(robot: Any) -> Any:
    """Restitution of the contact between a robot of this restitution and the ground, likewise."""
    return 0.5 * (robot + GROUND_RESTITUTION)


def damping_ratio(e: Any, log: Any = math.log, sqrt: Any = math.sqrt) -> Any:
    """Damping ratio at which a bounce returns the share e of its speed (e above 0).

    The textbook relation of a half period, with e lowered a little in the middle of the range, where the
    contact lets go before the spring has relaxed (measured over drops from 0.1 to 1 m); and more than that near
    e = 0, for grip.
    """
    decay = log(e * (1.0 - 0.17 * (1.0 - e)))
    return -decay / sqrt(math.pi**2 + decay * decay) * (1.0 + GRIP * (1.0 - e) ** 8)


def most_damping(timestep: float) -> float:
    """Second number of ``solref`` at which a contact stops within one step; beyond it the step itself would bounce."""
    return -1.0 / timestep


def solref(e: float) -> tuple[float, float]:
    """Direct-format ``solref`` of a contact whose restitution is e."""
    ratio = damping_ratio(min(max(e, 1e-9), MAX_RESTITUTION))
    return -(FREQUENCY**2), -2.0 * ratio * FREQUENCY
