"""A page in the browser that shows robots on a terrain, served by viser from this machine."""

import logging
import socket

import mujoco
import numpy as np
import trimesh
import viser
from mjviser import ViserMujocoScene
from numpy.typing import NDArray
from PIL import Image
from trimesh.visual.material import PBRMaterial

from him.errors import HimError
from him.robots import Robot
from him.sim import model as builder
from him.terrain import Terrain
from him.view import paint

AZIMUTH, ELEVATION, DISTANCE = 60.0, 22.0, 2.6
"""How the page first looks at the robot: degrees, degrees, metres."""

GAMMA = 2.2
"""The browser wants colours in linear light."""


class Page:
    """Robots of one kind on one terrain; either may be changed while the page is open."""

    def __init__(self, label: str, host: str = "localhost", port: int = 8080) -> None:
        _check(host)
        # a browser that opens a connection and leaves is nothing to report
        logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
        self.server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
        self._scene: ViserMujocoScene | None = None
        self._camera = self.server.gui.add_folder("camera", expand_by_default=False)

    @property
    def address(self) -> str:
        """Where to point the browser."""
        host = self.server.get_host()
        return f"http://{'localhost' if host == '0.0.0.0' else host}:{self.server.get_port()}"

    def show(self, robot: Robot, terrain: Terrain, count: int = 1) -> None:
        """Build the scene anew."""
        self.server.scene.reset()
        self._model = builder.build(robot, visuals=True).compile()
        self._data = mujoco.MjData(self._model)
        self._scene = ViserMujocoScene(self.server, self._model, count)
        self._lay(terrain)
        self._camera.remove()
        self._camera = self.server.gui.add_folder("camera", expand_by_default=False)
        with self._camera:
            self._scene.create_scene_gui(DISTANCE, AZIMUTH, ELEVATION)

    def update(self, qpos: NDArray[np.floating]) -> None:
        """Put the robots where their positions (count, 19) say."""
        assert self._scene is not None, "call show first"
        places, turns = [], []
        for row in qpos:
            self._data.qpos[:] = row
            mujoco.mj_kinematics(self._model, self._data)
            places.append(self._data.xpos.copy())
            turns.append(self._data.xmat.reshape(-1, 3, 3).copy())
        self._scene.update_from_arrays(np.stack(places), np.stack(turns))

    def _lay(self, terrain: Terrain) -> None:
        """The ground hangs under the frame that the scene moves when its camera follows a robot."""
        checks = Image.fromarray(paint.checks())
        for patch in paint.patches(terrain):
            look = PBRMaterial(
                baseColorTexture=checks if patch.chequered else None,
                baseColorFactor=[*(value**GAMMA for value in patch.colour), 1.0],
                metallicFactor=0.0,
                roughnessFactor=1.0,
            )
            visual = trimesh.visual.TextureVisuals(uv=patch.texture, material=look)
            mesh = trimesh.Trimesh(patch.points, patch.faces, visual=visual, process=False)
            name = f"/fixed_bodies/terrain/{patch.name}"
            self.server.scene.add_mesh_trimesh(name, mesh, cast_shadow=False, receive_shadow=0.4)

    def close(self) -> None:
        """Stop serving."""
        self.server.stop()


def _check(host: str) -> None:
    """viser waits for ever for an address that is not this machine's; a port in use it replaces by the next."""
    try:
        with socket.create_server((host, 0)):
            pass
    except OSError as error:
        raise HimError(f"cannot serve a page on {host}: {error.strerror}; localhost always works") from None
