"""Where a sphere touches the terrain: one plain function for both engines.

The function below is written in the common subset of Python that Warp (GPU) and Numba (CPU) both compile, so
the two engines cannot disagree on what a contact is, and a test can run the very same source uncompiled.
That is why it is one scalar function without helpers, and why mutable numbers start as ``float(...)``.

The terrain is a grid of square cells, each owning its four corner heights; a cell's surface is two triangles,
and where neighbouring cells disagree along their shared edge stands a vertical wall. Solid is all that lies
below. A contact is reported as (distance, normal): the distance of the sphere's surface from the terrain,
negative when they overlap.
"""

import math
from typing import Any

MAX_DEPTH = 0.06
"""Deepest overlap reported, in metres: what a drop from 1 m reaches at the contact's stiffness. A sphere found
deeper inside a riser is led out over several substeps instead of being shot out in one."""

REACH = 0.1
"""A sphere must not be larger than this: the ceiling map looks this far around a cell."""


def sphere_contacts(
    corners: Any, ceiling: Any, x0: Any, y0: Any, cell: Any, nx: Any, ny: Any, px: Any, py: Any, pz: Any, r: Any
) -> Any:
    """Up to two contacts: the closest point of the surface, and a face that meets it at an angle (floor, riser).

    ``corners[j, i]`` are the heights of cell (i, j) in the order (x0,y0), (x1,y0), (x0,y1), (x1,y1), and
    ``ceiling[j, i]`` is the highest point within REACH of the cell. Outside the grid the border continues flat.
    Returns (d1, n1x, n1y, n1z, d2, n2x, n2y, n2z); a distance above zero means no such contact.
    """
    d1 = float(1.0)
    ax = float(0.0)
    ay = float(0.0)
    az = float(1.0)
    d2 = float(1.0)
    bx = float(0.0)
    by = float(0.0)
    bz = float(1.0)

    # a world that has gone bad touches nothing; the engine's guard takes care of it
    if not (abs(px) < 1.0e6 and abs(py) < 1.0e6 and abs(pz) < 1.0e6):
        return d1, ax, ay, az, d2, bx, by, bz

    # in units of cells from here on, the border continued outside
    unit = 1.0 / cell
    qx = min(max((px - x0) * unit, 0.0), float(nx) - 0.0001)
    qy = min(max((py - y0) * unit, 0.0), float(ny) - 0.0001)
    qz = pz * unit
    ci = int(qx)
    cj = int(qy)
    if pz - r >= ceiling[cj, ci]:
        return d1, ax, ay, az, d2, bx, by, bz

    # is the centre inside the solid? then the way out may be further than the sphere is large
    c = corners[cj, ci]
    u = qx - float(ci)
    v = qy - float(cj)
    ground = c[0] + u * (c[1] - c[0]) + v * (c[2] - c[0])
    if u + v > 1.0:
        ground = c[3] + (1.0 - u) * (c[2] - c[3]) + (1.0 - v) * (c[1] - c[3])
    outward = float(1.0)
    reach = r * unit
    if pz < ground:
        outward = -1.0
        reach = reach + 1.0
    i_lo = int(max(qx - reach, 0.0))
    i_hi = min(int(qx + reach), nx - 1)
    j_lo = int(max(qy - reach, 0.0))
    j_hi = min(int(qy + reach), ny - 1)

    # squared distance and way (towards the centre) of the closest point of all
    far = reach * reach
    best = far
    ex = float(0.0)
    ey = float(0.0)
    ez = float(0.0)
    # of the closest point within a triangle, and within walls that face along x and along y
    top = far
    tx = float(0.0)
    ty = float(0.0)
    tz = float(0.0)
    wall_x = far
    sx = float(0.0)
    wall_y = far
    sy = float(0.0)

    for j in range(j_lo, j_hi + 1):
        for i in range(i_lo, i_hi + 1):
            h = corners[j, i]
            for half in range(2):
                # a triangle with its right angle at the origin and legs along +s and +t
                s = qx - float(i)
                t = qy - float(j)
                z0 = h[0] * unit
                zs = h[1] * unit - z0
                zt = h[2] * unit - z0
                sign = float(1.0)
                if half == 1:
                    s = 1.0 - s
                    t = 1.0 - t
                    z0 = h[3] * unit
                    zs = h[2] * unit - z0
                    zt = h[1] * unit - z0
                    sign = -1.0
                w = qz - z0
                # closest point a (1, 0, zs) + b (0, 1, zt)
                es = 1.0 + zs * zs
                et = 1.0 + zt * zt
                est = zs * zt
                ps = s + zs * w
                pt = t + zt * w
                det = 1.0 / (es * et - est * est)
                a = (et * ps - est * pt) * det
                b = (es * pt - est * ps) * det
                within = a >= 0.0 and b >= 0.0 and a + b <= 1.0
                if not within:
                    # beside the triangle: the closest of its three edges
                    a = min(max(ps / es, 0.0), 1.0)
                    b = 0.0
                    g = (s - a) * (s - a) + t * t + (w - a * zs) * (w - a * zs)
                    k = min(max(pt / et, 0.0), 1.0)
                    gk = s * s + (t - k) * (t - k) + (w - k * zt) * (w - k * zt)
                    if gk < g:
                        g = gk
                        a = 0.0
                        b = k
                    k = min(max((es - est - ps + pt) / (es + et - 2.0 * est), 0.0), 1.0)
                    wk = w - (1.0 - k) * zs - k * zt
                    gk = (s - 1.0 + k) * (s - 1.0 + k) + (t - k) * (t - k) + wk * wk
                    if gk < g:
                        a = 1.0 - k
                        b = k
                vx = sign * (s - a)
                vy = sign * (t - b)
                vz = w - a * zs - b * zt
                dist = vx * vx + vy * vy + vz * vz
                if dist < best:
                    best = dist
                    ex = vx
                    ey = vy
                    ez = vz
                if within and vz > 0.0 and dist < top:
                    top = dist
                    tx = vx
                    ty = vy
                    tz = vz
            if i + 1 < nx:
                # the wall between this cell and the next along x
                o = corners[j, i + 1]
                along = min(max(qy - float(j), 0.0), 1.0)
                here = (h[1] + along * (h[3] - h[1])) * unit
                there = (o[0] + along * (o[2] - o[0])) * unit
                if abs(here - there) > 1.0e-4:
                    vx = qx - float(i + 1)
                    vy = qy - float(j) - along
                    vz = qz - min(max(qz, min(here, there)), max(here, there))
                    dist = vx * vx + vy * vy + vz * vz
                    if dist < best:
                        best = dist
                        ex = vx
                        ey = vy
                        ez = vz
                    if vy == 0.0 and vz == 0.0 and dist < wall_x and outward * vx * (here - there) > 0.0:
                        wall_x = dist
                        sx = vx
            if j + 1 < ny:
                # the wall between this cell and the next along y
                o = corners[j + 1, i]
                along = min(max(qx - float(i), 0.0), 1.0)
                here = (h[2] + along * (h[3] - h[2])) * unit
                there = (o[0] + along * (o[1] - o[0])) * unit
                if abs(here - there) > 1.0e-4:
                    vx = qx - float(i) - along
                    vy = qy - float(j + 1)
                    vz = qz - min(max(qz, min(here, there)), max(here, there))
                    dist = vx * vx + vy * vy + vz * vz
                    if dist < best:
                        best = dist
                        ex = vx
                        ey = vy
                        ez = vz
                    if vx == 0.0 and vz == 0.0 and dist < wall_y and outward * vy * (here - there) > 0.0:
                        wall_y = dist
                        sy = vy

    if best >= far:
        if outward < 0.0:
            # deep inside: up is out
            d1 = -MAX_DEPTH
        return d1, ax, ay, az, d2, bx, by, bz
    length = math.sqrt(best)
    d1 = max(outward * length * cell - r, -MAX_DEPTH)
    if length > 1.0e-4:
        ax = outward * ex / length
        ay = outward * ey / length
        az = outward * ez / length

    # a second contact: a whole face, seen squarely, in another direction than the first
    if outward > 0.0:
        second = far
        if tx * ax + ty * ay + tz * az < 0.8 * math.sqrt(top) and top < second:
            second = top
            bx = tx
            by = ty
            bz = tz
        if sx * ax < 0.8 * abs(sx) and wall_x < second:
            second = wall_x
            bx = sx
            by = 0.0
            bz = 0.0
        if sy * ay < 0.8 * abs(sy) and wall_y < second:
            second = wall_y
            bx = 0.0
            by = sy
            bz = 0.0
        if second < far:
            length = math.sqrt(second)
            d2 = max(length * cell - r, -MAX_DEPTH)
            bx = bx / length
            by = by / length
            bz = bz / length
    return d1, ax, ay, az, d2, bx, by, bz
