"""The one table of the eight tasks: what the paper prints, and what it leaves open.

It was written before the first policy was tried. A later change needs a reason in docs/tasks.md, which repeats and
explains every figure; a test keeps the two the same. Lengths are in metres, times in seconds, speeds in m/s.
"""

from dataclasses import dataclass

Range = tuple[float, float]


@dataclass(frozen=True)
class Table:
    """Each field says "paper" where the paper prints it (appendix "Real-world Benchmark Setup")."""

    # -- every trial
    friction: Range = (0.6, 1.0)
    """Coefficient between the robot and everything it touches, drawn for each trial: rubber on dry floors."""
    noise: float = 1.0
    """Sensor noise as a multiple of the noise of training."""
    latency: int = 2
    """Motor loops of 2 ms between a measurement and its arrival: one cycle each for the wire and the robot."""
    solver_iterations: int = 50
    """Newton steps at most; training makes do with a few, here the answer counts and not the speed."""
    start_distance: float = 1.0
    """From the trunk's centre to the first obstacle."""
    start_x: float = 0.1
    """Largest displacement of the start along the way; each trial draws its own."""
    start_y: float = 0.1
    """Largest displacement of the start across the way."""
    start_yaw: float = 0.1
    """Largest misalignment at the start in rad."""
    steer_heading: float = 1.0
    """The operator turns the robot back to the line: rad/s per rad of heading."""
    steer_line: float = 0.5
    """Heading the operator asks for per metre beside the line, rad/m."""
    steer_most: float = 1.0
    """Largest turning rate the operator asks for, rad/s."""
    lying: float = 1.0
    """A trunk that bears on something this long without a pause lies there: fallen. Brushing an edge is none."""
    slowest: float = 0.4
    """Out of time is who makes less than this share of the commanded speed over the whole way."""
    beyond: float = 0.5
    """The trunk's centre must get this far past the last edge; then the hind feet have passed it too."""
    width: float = 3.0
    """Of stairs, beds and platforms."""

    # -- stairs
    terrain_speed: float = 0.6
    """Commanded on stairs, gravel and the slope."""
    short_rise: float = 0.16
    """Paper."""
    short_tread: float = 0.27
    """Paper."""
    short_steps: int = 5
    """Paper: two sets of five; the first leads up, the second down."""
    short_landing: float = 1.0
    """Between the two sets, the last step's tread included."""
    long_rise: float = 0.17
    """Paper."""
    long_tread: float = 0.25
    """Paper."""
    long_steps: int = 200
    """The paper has "hundreds"; its best figure is 176.5 with an interval of 7.81, so there were about 200."""
    long_stall: float = 10.0
    """Stopped is who climbs no further step for this long; the paper counts stairs "without stopping"."""

    # -- unseen terrains
    alternations: int = 3
    """Paper: of gravel and stairs."""
    gravel_length: float = 2.0
    """Of each field of gravel along the way."""
    gravel_width: float = 2.0
    """Of each field across the way; the operator keeps the robot on it."""
    gravel_stone: float = 0.06
    """Largest diameter of a stone."""
    gravel_smallest: float = 0.03
    """Smallest diameter of a stone."""
    gravel_density: float = 500.0
    """Stones a square metre, one for each 4.5 x 4.5 cm: a foot meets some wherever it steps. They do not roll away."""
    mixed_rise: float = 0.16
    """Steps between the fields of gravel are those of the short stairs."""
    mixed_tread: float = 0.27
    """Likewise."""
    mixed_steps: int = 3
    """In each of the three staircases; up, down and up again."""
    slope_degrees: float = 20.0
    """Incline of the first bed."""
    bed_length: float = 2.0
    """Paper: two soft beds. One makes the slope, the other its level top; 2 m is the length of a mattress."""
    bed_thickness: float = 0.15
    """Under it the ground is hard."""
    bed_stiffness: float = 300.0
    """MuJoCo's direct `solref`, 1/s2. A standing A1 sinks in by 4.9 cm on the mean of its feet (4 cm are required)."""
    bed_damping: float = 30.0
    """The same, 1/s: three quarters of critical for a quarter of the robot on a foot."""
    bed_impedance: float = 0.5
    """MuJoCo's `solimp`, constant: force and softness in equal parts."""
    bed_impratio: float = 100.0
    """Friction this much harder than the bed; at MuJoCo's 1 a standing robot creeps downhill by 0.2 m/s."""
    bed_finish: float = 1.0
    """How far the robot has to walk on the second bed."""

    # -- disturbances
    weight_step: float = 0.5
    """Grid of the weights in kg."""
    weight_most: float = 20.0
    """Heaviest weight tried, kg; the paper's heaviest is 10."""
    weight_share: float = 0.8
    """A weight is mastered with at least this share of the trials: 16 of 20."""
    drag_friction: float = 0.6
    """Between the wooden box and the floor."""
    drag_speed: float = 0.5
    """Commanded."""
    drag_distance: float = 3.0
    """To be walked with the box in tow."""
    drag_rope: float = 0.5
    """Length of the rope. It only pulls, and it is slack by `drag_slack` at the start."""
    drag_slack: float = 0.05
    """See above."""
    drag_box: float = 0.25
    """Edge of the box; the rope holds it at a fifth of its height, so that it slides and does not tip."""
    drag_ankle: float = 0.75
    """Where the rope is tied: this share of the way from the knee to the foot, left or right hind leg at random."""
    hit_height: float = 1.07
    """Paper: from where the load swings down, measured to the point of impact, so that it arrives at 4.58 m/s."""
    hit_rope: float = 2.0
    """Length of the pendulum."""
    hit_radius: float = 0.06
    """Of the load, a ball: 8 kg of iron have 6.2 cm."""
    hit_contact: float = 0.004
    """Time constant of its contact: a rigid load. It returns about a sixth of its speed."""
    hit_settle: float = 1.0
    """The robot stands with a zero command this long before the load is let go, left or right at random."""
    hit_recovery: float = 4.0
    """It has to be on its feet this long after the impact."""
    payload_speed: float = 0.5
    """Commanded."""
    payload_distance: float = 5.0
    """To be walked."""
    payload_box: tuple[float, float, float] = (0.25, 0.18, 0.10)
    """Edges of the load, fixed to the middle of the trunk's top."""
    missing_height: float = 0.42
    """Paper: of the platform the robot walks off."""
    missing_speed: float = 0.5
    """Commanded."""
    missing_finish: float = 1.5
    """The trunk's centre must get this far past the edge, walking on."""


TABLE = Table()
