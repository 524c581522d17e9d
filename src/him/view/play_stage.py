"""Robot, ground, sky and lamps as one MuJoCo model that is never simulated: it is posed and looked at."""

from dataclasses import dataclass

import mujoco

from him.robots import Robot
from him.sim import model as builder
from him.terrain import Terrain
from him.view import paint


@dataclass(frozen=True)
class Frame:
    """Size of a picture in pixels."""

    width: int
    height: int


def stage(robot: Robot, terrain: Terrain, frame: Frame) -> mujoco.MjModel:
    """The model to pose; `frame` is the largest picture to be taken of it."""
    spec = builder.build(robot, visuals=True)
    spec.visual.global_.offwidth, spec.visual.global_.offheight = frame.width, frame.height
    light(spec)
    _lay(spec, terrain)
    return spec.compile()


def _lay(spec: mujoco.MjSpec, terrain: Terrain) -> None:
    texture = spec.add_texture(
        name="checks", type=mujoco.mjtTexture.mjTEXTURE_2D, width=paint.PIXELS, height=paint.PIXELS, nchannel=3
    )
    texture.data = paint.checks().tobytes()
    for patch in paint.patches(terrain):
        name = patch.name
        material = spec.add_material(name=name, rgba=[*patch.colour, 1.0], specular=0.05, shininess=0.1)
        if patch.chequered:
            material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "checks"
        mesh = spec.add_mesh(name=name, inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
        mesh.uservert, mesh.userface = patch.points.ravel(), patch.faces.ravel()
        mesh.usertexcoord, mesh.userfacetexcoord = patch.texture.ravel(), patch.faces.ravel()
        geom = spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=name)
        geom.contype = geom.conaffinity = 0


def light(spec: mujoco.MjSpec) -> None:
    """A clear day: a bright sky and a sun that follows the robot, so that its shadow stays sharp."""
    spec.visual.quality.shadowsize, spec.visual.quality.offsamples = 2048, 4
    spec.visual.headlight.ambient = [0.38] * 3
    spec.visual.headlight.diffuse = [0.25] * 3
    spec.visual.headlight.specular = [0.05] * 3
    # depths of the shadow are compared with a tolerance relative to the farthest: a far one keeps the ground clean
    spec.stat.extent, spec.stat.center = 10.0, [0, 0, 0]
    spec.visual.map.znear, spec.visual.map.zfar, spec.visual.map.shadowclip = 0.01, 400.0, 0.5
    spec.visual.rgba.haze = [0.86, 0.90, 0.95, 1]
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.55, 0.70, 0.88],
        rgb2=[0.93, 0.95, 0.98],
        width=256,
        height=256,
    )
    spec.body("base").add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK,
        pos=[-1.5, 2.0, 4.0],
        dir=[0.35, -0.5, -1.0],
        diffuse=[0.62, 0.60, 0.56],
    )
