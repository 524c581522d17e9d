"""What drives and brakes a joint besides its load: a PD law and dry friction, both as torques.

MuJoCo has a constraint for dry friction, which holds a joint exactly and takes a third of the solver's rows. A torque
against the motion, which grows to the same friction within a small speed, takes none; and a leg never rests on its
friction, because its motor holds it. Robots that are not simulated by the thousand keep the constraint.
"""

import mujoco
import numpy as np

from him.robots.table import Array

STOPS = 0.5
"""Share of a joint's speed that friction takes away in a physics step, where it is not more than friction can."""


def stopping(model: mujoco.MjModel) -> Array:
    """Damping of each joint that would stop it within a step, if nothing else moved. More of it would turn it round."""
    return 1.0 / (model.opt.timestep * model.dof_invweight0[6:])


def friction(model: mujoco.MjModel) -> tuple[Array, Array]:
    """Each joint's friction as damping, and the torque it ends at; taken from the model, which then has none."""
    most = model.dof_frictionloss[6:].copy()
    model.dof_frictionloss[:] = 0.0
    return STOPS * stopping(model), most


def add_brakes(spec: mujoco.MjSpec) -> None:
    """Actuators after the motors that are told nothing and do what friction does; `set_brakes` gives them figures.

    Torques are those of the moment at which a step begins, as a motor's controller would have it."""
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    for motor in list(spec.actuators):
        brake = spec.add_actuator(name=f"{motor.name}_friction", target=motor.target, trntype=motor.trntype)
        brake.biastype = mujoco.mjtBias.mjBIAS_AFFINE
        brake.gainprm[0] = 0.0
        brake.forcelimited = True
        brake.forcerange = [-1.0, 1.0]
    for key in spec.keys:
        key.ctrl = [*key.ctrl, *np.zeros(len(key.ctrl))]


def set_brakes(model: mujoco.MjModel) -> None:
    damping, most = friction(model)
    brakes = slice(model.nu // 2, None)
    model.actuator_biasprm[brakes, 2] = -damping
    model.actuator_forcerange[brakes] = np.stack([-most, most], axis=-1)
