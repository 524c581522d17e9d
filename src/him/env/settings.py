"""Every number of the task, each with the table or section of the paper it comes from."""

from dataclasses import dataclass, field

from him.env.gait_settings import GaitSettings
from him.errors import HimError
from him.sim.material import IMPEDANCE

Range = tuple[float, float]


@dataclass(frozen=True)
class Randomisation:
    """Drawn anew for each episode (paper, table of domain randomisations)."""

    base_mass: Range = (0.8, 1.2)
    """Factor on the base's mass."""
    link_mass: Range = (0.8, 1.2)
    """Factor on the links' masses."""
    com: float = 0.1
    """Largest displacement of the base's centre of mass along each axis in metres."""
    payload: Range = (-1.0, 3.0)
    """Mass added to the base in kg."""
    friction: Range = (0.2, 2.75)
    """Robot's coefficient, averaged with the ground's."""
    ground_friction: float = 1.0
    """Not printed; the default of simulators. A foot then never meets less than 0.6."""
    restitution: Range = (0.0, 0.2)
    """Robot's coefficient, averaged with the ground's 0. The paper's table prints 0 to 1; its simulator lets nothing
    bounce below 0.5 m/s, whereas here one damping serves bounce and grip alike, and feet that bounce slide."""
    impedance: Range = (IMPEDANCE, IMPEDANCE)
    """Of the contacts. Not in the paper; an option for ground on which feet creep under load, as they do at 0.9, which
    MuJoCo's own contacts have, see docs/experiments.md."""
    strength: Range = (0.8, 1.2)
    """Factor on motor torque."""
    kp: Range = (0.8, 1.2)
    """Factor on the proportional gain; the nominal one is the robot's for walking (section 4.1), not 20."""
    kd: Range = (0.8, 1.2)
    """Factor on the derivative gain."""
    joints: Range = (0.5, 1.5)
    """Factor on the default joint positions at the start."""
    delay: int = 3
    """Longest actuator delay in physics steps."""
    force: float = 30.0
    """Largest external force along each axis in newtons."""
    force_share: float = 0.3
    """Share of time under an external force. Not printed; the release lets it act for 5 ms of every 160."""
    force_seconds: Range = (0.2, 1.0)
    """How long a force acts. Not printed."""
    push: float = 0.0
    """Largest jump of the base's horizontal velocity in m/s; an option, the paper's table has none."""
    push_seconds: float = 8.0
    """Mean time between such jumps."""
    bodies: int = 4096
    """Size of the bank of bodies that episodes pick from."""

    def __post_init__(self) -> None:
        if not 0 < self.impedance[0] <= self.impedance[1] < 1:
            raise HimError(f"impedance of contacts must lie above 0 and below 1, the smaller first: {self.impedance}")

    @classmethod
    def none(cls) -> "Randomisation":
        """The nominal robot on nominal ground, left alone."""
        one, zero = (1.0, 1.0), (0.0, 0.0)
        return cls(
            base_mass=one,
            link_mass=one,
            com=0.0,
            payload=zero,
            friction=one,
            ground_friction=1.0,
            restitution=zero,
            strength=one,
            kp=one,
            kd=one,
            joints=one,
            delay=0,
            force=0.0,
            force_share=0.0,
            push=0.0,
            bodies=1,
        )


@dataclass(frozen=True)
class Noise:
    """Half-widths of uniform sensor noise, in the sensors' own units (release; the paper prints none)."""

    angular_velocity: float = 0.2
    gravity: float = 0.05
    joint_pos: float = 0.01
    joint_vel: float = 1.5
    scale: float = 1.0
    """Factor on all of them; 0 switches noise off."""


@dataclass(frozen=True)
class Commands:
    """What velocities are asked for (paper, section 3.4, training curriculum)."""

    complex_x: float = 1.0
    """Largest forward speed on stairs and obstacles, m/s."""
    complex_yaw: float = 2.0
    """Largest yaw rate there, rad/s."""
    smooth_x: float = 3.0
    """Largest forward speed on slopes and rough slopes."""
    smooth_yaw: float = 3.0
    """Largest yaw rate there."""
    y: float = 1.0
    """Largest sideways speed everywhere."""
    easy: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Where ranges start (forward, sideways, yaw); on each kind and level of terrain they grow to those above as robots
    learn to track them there. The paper speaks of a simple command curriculum without figures. With the full ranges
    from the start most commands lie so far off that the tracking rewards are flat: 85 M samples taught neither turning
    nor 1 m/s."""
    growth: float = 0.3
    """Share of the way that the ranges of a kind and level of terrain grow if everyone there once tracks a command near
    their edge well, and shrink if everyone fails."""
    seconds: float = 10.0
    """Time between commands. The paper prints 25 steps, in which no robot leaves its platform; the release 10 s."""
    zero_share: float = 0.1
    """Share of commands that are exactly zero, so that standing is learned."""
    turn_share: float = 0.1
    """Share of commands that only turn, so that the angular rows of the benchmark are trained too."""
    straight_share: float = 0.2
    """Share of commands in any direction without turning. Who turns walks in circles, mostly on the platform in the
    middle of a tile, and meets little of the terrain around it. Not in the paper, where the yaw rate is uniform."""
    forward_share: float = 0.25
    """Share of commands straight forward or backward. Not in the paper, where the sideways speed is uniform and hardly
    ever near zero: robots then climb stairs sideways and at an angle, and fail where they meet them head on."""

    def __post_init__(self) -> None:
        shares = self.zero_share, self.turn_share, self.straight_share, self.forward_share
        if min(shares) < 0 or sum(shares) > 1:
            raise HimError("shares of kinds of commands must not be negative, nor exceed 1 in all")


@dataclass(frozen=True)
class Rewards:
    """Weights (paper, table of rewards); each is multiplied by the control period."""

    lin_vel_tracking: float = 1.0
    ang_vel_tracking: float = 0.5
    lin_vel_z: float = -2.0
    ang_vel_xy: float = -0.05
    orientation: float = -0.2
    joint_acceleration: float = -2.5e-7
    joint_power: float = -2e-5
    base_height: float = -1.0
    foot_clearance: float = -0.01
    action_rate: float = -0.01
    smoothness: float = -0.01
    stand_still: float = -0.5
    """Squared distance from the default pose at zero command. Not in the paper. Without it robots told to stand sank by
    7 to 23 cm in 8 s, at -0.1 by 3 to 15 cm, at -0.5 by 1 cm. In short runs it costs tracking (`laptop`)."""
    overspeed: float = -0.02
    """Squared joint speed beyond the motors' highest. Not in the paper, whose simulator limits joint speeds."""
    trunk_clearance: float = -100.0
    """Mean square of what the trunk's corners lack of the target height above their own ground. Not in the paper, whose
    base height counts so little beside what there is to earn that robots crouched, and met stairs with their noses."""
    foot_slip: float = 0.0
    """Squared speed of the feet that bear. Not in the paper; an option for slippery slopes, see docs/experiments.md."""
    sigma: float = 0.25
    """Tracking scale, appendix A.1. Levels are always judged by it."""
    following: float = 4.5
    """Following the command finely, in all that it asks for at once. Not in the paper: at its scale a tenth of a metre
    per second costs 4 % of the reward, and robots walk slower than told."""
    following_sigma: float = 0.03
    """The finer tracking scale."""
    following_from: float = 0.05
    """Share of the run up to which there is none of it."""
    following_until: float = 0.2
    """Share of the run at which there is all of it."""
    ease: float = 0.05
    """Share of their weights that penalties begin with. Not in the paper (RMA does so): at full weight from the start
    robots learn to stand, which nothing punishes, before they have made a step."""
    ease_from: float = 0.03
    """Share of the run up to which they keep it."""
    ease_until: float = 0.15
    """Share of the run at which they have their full weights."""

    def __post_init__(self) -> None:
        spans = (self.ease_from, self.ease_until), (self.following_from, self.following_until)
        if not all(0 <= begin < end <= 1 for begin, end in spans):
            raise HimError("rewards need 0 <= ease_from < ease_until <= 1, and so for following_from and _until")
        if min(self.sigma, self.following_sigma) <= 0 or self.following < 0:
            raise HimError("rewards need positive sigmas, and 'following' must not be negative")


@dataclass(frozen=True)
class TaskSettings:
    """The locomotion task."""

    rewards: Rewards = field(default_factory=Rewards)
    commands: Commands = field(default_factory=Commands)
    randomisation: Randomisation = field(default_factory=Randomisation)
    noise: Noise = field(default_factory=Noise)
    episode_seconds: float = 10.0
    """Length of an episode. Not printed; the release has 20 s, which halves the chances to change level."""
    action_clip: float = 20.0
    """Largest action passed on; only a diverging policy reaches it."""
    spawn_speed: float = 0.5
    """Largest initial velocity of the base along and about each axis (release)."""
    curriculum: bool = True
    """Whether robots move between levels."""
    start_level: int = 0
    """Highest level robots start on (paper: the lowest)."""
    promote: float = 0.8
    """Share of tracking reward and of commanded progress that earns the next level (paper: 80 %)."""
    demote: float = 0.5
    """Share of commanded progress below which a level is lost (paper: half of the terrain)."""
    revisit: float = 0.1
    """Chance that a robot on smooth ground begins its next episode on any level up to its own, to climb again from
    there. Not in the paper: everyone ends up on slopes too steep to run on, and fast commands are learned by few."""
    factors: bool = False
    """Whether the critic's view ends with what makes each world differ. Methods that need it switch it on."""
    gait: GaitSettings = field(default_factory=GaitSettings)
    """How to walk, for methods that tell robots so (Walk These Ways)."""
