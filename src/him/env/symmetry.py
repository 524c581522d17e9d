"""The robot's mirror image: what a state, a command and an action look like with left and right exchanged.

A quadruped and its world are symmetric, so the mirror image of an experience is an experience. Half of the
environments are therefore mirrored before each update (see `him.learn.rollout.Rollout.mirror`), which costs nothing
and spares the networks learning everything twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from him.policy.terms import BEHAVIOUR, OBS_TERMS, Term

Image = tuple[int, float]
"""Which number takes a place in the mirror image, and with which sign."""

POLAR = (1.0, -1.0, 1.0)
"""Signs of a velocity, a force or a direction: y changes sides."""

AXIAL = (-1.0, 1.0, -1.0)
"""Signs of a rotation: about y it stays, about x and z it turns round."""

LEGS = (1, 0, 3, 2)
"""FL, FR, RL, RR with the sides exchanged."""

LEG = (-1.0, 1.0, 1.0)
"""Signs of hip, thigh and calf: only the hip turns about the forward axis."""


@dataclass(frozen=True)
class Reflection:
    """A permutation with signs; applied twice it gives everything back."""

    place: Tensor
    sign: Tensor

    @classmethod
    def of(cls, images: Sequence[Image], device: torch.device) -> "Reflection":
        places, signs = zip(*images, strict=True)
        return cls(torch.tensor(places, device=device), torch.tensor(signs, device=device))

    def __call__(self, values: Tensor) -> Tensor:
        return values.index_select(-1, self.place) * self.sign


@dataclass(frozen=True)
class Mirror:
    """Reflections of everything the learner keeps."""

    frame: Reflection
    extra: Reflection
    action: Reflection
    velocity: Reflection

    @classmethod
    def standard(
        cls,
        device: torch.device,
        scan: tuple[int, int],
        terms: Sequence[Term] = OBS_TERMS,
        factors: Sequence[float] = (),
    ) -> "Mirror":
        """Of a frame of these terms, and of the critic's velocity, force and scan of (along x, along y) points.

        `factors` are the signs of what the critic sees besides.
        """
        images = _images()
        frame = join(*(images[term.name] for term in terms))
        extra = join(signed(POLAR), signed(POLAR), flipped(*scan), signed(factors))
        parts = (frame, extra, joints(), signed(POLAR))
        return cls(*(Reflection.of(images, device) for images in parts))


def _images() -> dict[str, list[Image]]:
    """Mirror image of each term of a frame. Offsets of half a step are their own, as the clocks show."""
    return {
        "command": signed((1.0, -1.0, -1.0)),
        "angular_velocity": signed(AXIAL),
        "gravity": signed(POLAR),
        **dict.fromkeys(("joint_pos", "joint_vel", "last_action", "before_last_action"), joints()),
        "behaviour": signed([-1.0 if name == "roll" else 1.0 for name in BEHAVIOUR]),
        "clock": [(leg, 1.0) for leg in LEGS],
    }


def signed(signs: Sequence[float]) -> list[Image]:
    """Numbers that stay in their place."""
    return list(enumerate(signs))


def joints() -> list[Image]:
    """Twelve joints, leg by leg."""
    return [(3 * leg + joint, sign) for leg in LEGS for joint, sign in enumerate(LEG)]


def flipped(along: int, across: int) -> list[Image]:
    """A grid of heights, x-major, with y turned round."""
    return [(x * across + (across - 1 - y), 1.0) for x in range(along) for y in range(across)]


def join(*parts: list[Image]) -> list[Image]:
    """One after the other."""
    images: list[Image] = []
    for part in parts:
        start = len(images)
        images += [(start + place, sign) for place, sign in part]
    return images
