"""Warp kernels of the GPU engine: targets in, contacts, and the watch over bad numbers.

Arguments come in the order model, data in, data out.
"""

import warp as wp
from mujoco_warp._src.types import vec5

from him.sim import contact
from him.sim.material import ROLL, SPIN, SPREAD

wp.set_module_options({"enable_backward": False, "max_unroll": 1})

sphere_contacts = wp.func(contact.sphere_contacts)


@wp.kernel
def begin_substep(
    substep: int,
    limit: wp.array[float],
    brake: wp.array[float],
    most_brake: wp.array[float],
    kp: wp.array2d[float],
    kd: wp.array2d[float],
    delay: wp.array[int],
    target: wp.array2d[float],
    previous: wp.array2d[float],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    torque: wp.array2d[float],
    applied: wp.array2d[float],
    top_speed: wp.array[float],
    touched: wp.array2d[wp.uint8],
):
    """Let motors drive to the target, a new one once its delay is over, and friction brake; note the base's speed."""
    w = wp.tid()
    if substep == 0:
        for k in range(touched.shape[1]):
            touched[w, k] = wp.uint8(0)
    for j in range(target.shape[1]):
        wanted = previous[w, j]
        if substep >= delay[w]:
            wanted = target[w, j]
        pull = kp[w, j] * (wanted - qpos[w, 7 + j]) - kd[w, j] * qvel[w, 6 + j]
        pull = wp.clamp(pull, -limit[j], limit[j])
        torque[w, j] = pull
        applied[w, 6 + j] = pull - wp.clamp(brake[j] * qvel[w, 6 + j], -most_brake[j], most_brake[j])
    v = wp.vec3(qvel[w, 0], qvel[w, 1], qvel[w, 2])
    top_speed[w] = wp.max(top_speed[w], wp.length(v))


@wp.kernel
def touch_terrain(
    corners: wp.array2d[wp.vec4],
    ceiling: wp.array2d[float],
    x0: float,
    y0: float,
    cell: float,
    geoms: wp.array[int],
    radii: wp.array[float],
    ground: int,
    friction: wp.array[float],
    solref: wp.array2d[float],
    impedance: wp.array[float],
    geom_xpos: wp.array2d[wp.vec3],
    naconmax: int,
    nacon: wp.array[int],
    dist_out: wp.array[float],
    pos_out: wp.array[wp.vec3],
    frame_out: wp.array[wp.mat33],
    includemargin_out: wp.array[float],
    friction_out: wp.array[vec5],
    solref_out: wp.array[wp.vec2],
    solreffriction_out: wp.array[wp.vec2],
    solimp_out: wp.array[vec5],
    dim_out: wp.array[int],
    geom_out: wp.array[wp.vec2i],
    efc_address_out: wp.array2d[int],
    worldid_out: wp.array[int],
    type_out: wp.array[int],
    geomcollisionid_out: wp.array[int],
    adhesion_out: wp.array[float],
    slot_out: wp.array2d[wp.vec2i],
    touched_out: wp.array2d[wp.uint8],
):
    """One thread a sphere: write its contacts with the terrain where the collision driver would."""
    w, k = wp.tid()
    g = geoms[k]
    p = geom_xpos[w, g]
    r = radii[k]
    slot = wp.vec2i(-1, -1)
    d1, ax, ay, az, d2, bx, by, bz = sphere_contacts(
        corners, ceiling, x0, y0, cell, corners.shape[1], corners.shape[0], p[0], p[1], p[2], r
    )
    if d1 < 0.0:
        touched_out[w, k] = wp.uint8(1)
        for s in range(2):
            d = wp.where(s == 0, d1, d2)
            n = wp.vec3(wp.where(s == 0, ax, bx), wp.where(s == 0, ay, by), wp.where(s == 0, az, bz))
            if d < 0.0:
                c = wp.atomic_add(nacon, 0, 1)
                if c < naconmax:
                    slot[s] = c
                    side = wp.vec3(0.0, 1.0, 0.0)
                    if wp.abs(n[1]) > 0.5:
                        side = wp.vec3(1.0, 0.0, 0.0)
                    t1 = wp.normalize(side - n * wp.dot(side, n))
                    t2 = wp.cross(n, t1)
                    dist_out[c] = d
                    pos_out[c] = p - n * (r + 0.5 * d)
                    frame_out[c] = wp.mat33(n[0], n[1], n[2], t1[0], t1[1], t1[2], t2[0], t2[1], t2[2])
                    includemargin_out[c] = 0.0
                    mu = friction[w]
                    give = impedance[w]
                    friction_out[c] = vec5(mu, mu, wp.static(SPIN), wp.static(ROLL), wp.static(ROLL))
                    solref_out[c] = wp.vec2(solref[w, 0], solref[w, 1])
                    solreffriction_out[c] = wp.vec2(0.0, 0.0)
                    solimp_out[c] = vec5(give, give, wp.static(SPREAD[0]), wp.static(SPREAD[1]), wp.static(SPREAD[2]))
                    dim_out[c] = 3
                    geom_out[c] = wp.vec2i(ground, g)
                    worldid_out[c] = w
                    type_out[c] = 1
                    geomcollisionid_out[c] = s
                    adhesion_out[c] = 0.0
                    for e in range(efc_address_out.shape[1]):
                        efc_address_out[c, e] = -1
    slot_out[w, k] = slot


@wp.kernel
def contact_forces(
    friction: wp.array[float],
    slot: wp.array2d[wp.vec2i],
    frame: wp.array[wp.mat33],
    efc_address: wp.array2d[int],
    efc_force: wp.array2d[float],
    force_out: wp.array2d[wp.vec3],
):
    """Add up the edges of the friction pyramid of each contact of a sphere, in the world frame."""
    w, k = wp.tid()
    total = wp.vec3(0.0, 0.0, 0.0)
    for s in range(2):
        c = slot[w, k][s]
        if c >= 0 and efc_address[c, 0] >= 0:
            a0 = efc_force[w, efc_address[c, 0]]
            a1 = efc_force[w, efc_address[c, 1]]
            b0 = efc_force[w, efc_address[c, 2]]
            b1 = efc_force[w, efc_address[c, 3]]
            mu = friction[w]
            local = wp.vec3(a0 + a1 + b0 + b1, mu * (a0 - a1), mu * (b0 - b1))
            total += wp.transpose(frame[c]) * local
    force_out[w, k] = total


@wp.kernel
def watch(
    max_speed: float,
    max_rate: float,
    home: wp.array[float],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    qacc_warmstart: wp.array2d[float],
    top_speed: wp.array[float],
    fault: wp.array[wp.uint8],
    faults: wp.array[int],
):
    """Put a world home whose numbers are not finite or too fast, so that they never leave the engine."""
    w = wp.tid()
    speed = wp.length(wp.vec3(qvel[w, 0], qvel[w, 1], qvel[w, 2]))
    good = speed < max_speed
    for i in range(qvel.shape[1] - 3):
        good = good and wp.abs(qvel[w, i + 3]) < max_rate
    for i in range(qpos.shape[1]):
        good = good and wp.isfinite(qpos[w, i])
    if good:
        fault[w] = wp.uint8(0)
        top_speed[w] = wp.max(top_speed[w], speed)
    else:
        fault[w] = wp.uint8(1)
        wp.atomic_add(faults, 0, 1)
        for i in range(qpos.shape[1]):
            qpos[w, i] = home[i]
        for i in range(qvel.shape[1]):
            qvel[w, i] = 0.0
            qacc_warmstart[w, i] = 0.0


@wp.kernel
def reset_worlds(
    mask: wp.array[wp.uint8],
    new_qpos: wp.array2d[float],
    new_qvel: wp.array2d[float],
    body: wp.array[int],
    new_friction: wp.array[float],
    new_solref: wp.array2d[float],
    new_impedance: wp.array[float],
    new_kp: wp.array2d[float],
    new_kd: wp.array2d[float],
    new_delay: wp.array[int],
    most_kd: wp.array[float],
    most_damping: float,
    bank_mass: wp.array2d[float],
    bank_inertia: wp.array2d[wp.vec3],
    bank_ipos: wp.array2d[wp.vec3],
    bank_subtreemass: wp.array2d[float],
    bank_body_invweight0: wp.array2d[wp.vec2],
    bank_dof_invweight0: wp.array2d[float],
    body_mass: wp.array2d[float],
    body_inertia: wp.array2d[wp.vec3],
    body_ipos: wp.array2d[wp.vec3],
    body_subtreemass: wp.array2d[float],
    body_invweight0: wp.array2d[wp.vec2],
    dof_invweight0: wp.array2d[float],
    kp: wp.array2d[float],
    kd: wp.array2d[float],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    qacc_warmstart: wp.array2d[float],
    target: wp.array2d[float],
    friction: wp.array[float],
    solref: wp.array2d[float],
    impedance: wp.array[float],
    delay: wp.array[int],
):
    """Start a world anew: state, body, contact, gains and delay in one go."""
    w = wp.tid()
    if mask[w] == wp.uint8(0):
        return
    for i in range(qpos.shape[1]):
        qpos[w, i] = new_qpos[w, i]
    for i in range(qvel.shape[1]):
        qvel[w, i] = new_qvel[w, i]
        qacc_warmstart[w, i] = 0.0
    b = body[w]
    for i in range(body_mass.shape[1]):
        body_mass[w, i] = bank_mass[b, i]
        body_inertia[w, i] = bank_inertia[b, i]
        body_ipos[w, i] = bank_ipos[b, i]
        body_subtreemass[w, i] = bank_subtreemass[b, i]
        body_invweight0[w, i] = bank_body_invweight0[b, i]
    for i in range(dof_invweight0.shape[1]):
        dof_invweight0[w, i] = bank_dof_invweight0[b, i]
    for j in range(target.shape[1]):
        # nothing was commanded yet: a delayed first target finds the joints held where they start
        target[w, j] = new_qpos[w, 7 + j]
        kp[w, j] = new_kp[w, j]
        kd[w, j] = wp.min(new_kd[w, j], most_kd[j])
    friction[w] = new_friction[w]
    solref[w, 0] = new_solref[w, 0]
    solref[w, 1] = wp.max(new_solref[w, 1], most_damping)
    impedance[w] = new_impedance[w]
    delay[w] = new_delay[w]
