"""The settings of the learner. Every figure of the paper's table of hyper-parameters stands here once."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from him.errors import HimError
from him.fields import build

Widths = tuple[int, ...]


@dataclass(frozen=True)
class HimSettings:
    """The hybrid internal model and its optimisation (paper, sections 3.2 and 3.3, table "HIM")."""

    history: int = 6
    """Frames the encoder reads: o_{t-H..t} with H = 5, section 3.2."""
    encoder: Widths = (512, 256, 128)
    """Hidden widths of the source encoder, section 3.2."""
    target: Widths = (512, 256, 128)
    """Hidden widths of the target encoder. Not printed; the source encoder's."""
    latent: int = 16
    """Width of the latent, section 3.3."""
    prototypes: int = 16
    """Clusters of the swapped prediction, table "HIM"."""
    temperature: float = 0.1
    """Softmax temperature. Not printed; SwAV's value. At the release's 3.0 the loss hardly has a gradient."""
    epsilon: float = 0.05
    """Entropy of the Sinkhorn assignment. Not printed; SwAV's value."""
    sinkhorn_iterations: int = 3
    """Not printed; SwAV's value."""
    over_prototypes: Literal["sum", "mean"] = "sum"
    """Cross-entropy as the paper writes it, or divided by the number of prototypes (release)."""
    contrastive_weight: float = 1.0
    """Contrastive loss scale, table "HIM"."""
    velocity_weight: float = 1.0
    """Velocity estimation loss scale, table "HIM"."""
    velocity_label: Literal["current", "successor"] = "current"
    """Velocity of the newest frame's instant (section 3.3), or of the successor as the release does."""
    velocity_scale: float = 1.0
    """The estimate is this many times m/s. A successor label is read from the critic's input and has its
    scale, which must then stand here (2.0). Exported policies always say m/s."""
    target_input: Literal["frame", "response"] = "frame"
    """What the target encoder reads: the successor frame (section 3.3), or, as the release does, that frame
    without its command and with the clean scaled velocity."""
    schedule: Literal["first", "interleaved"] = "first"
    """Internal model first, then frozen, then PPO (section 3.1); or both per minibatch (release)."""
    epochs: int = 2
    """Passes over a rollout. Table "General" prints 5, which cost a tenth of the time and estimated no better; the
    interleaved schedule has PPO's."""
    learning_rate: float = 1e-3
    """Table "HIM". 0 leaves the internal model as it is."""
    follow_policy_rate: bool = False
    """Use PPO's adaptive learning rate instead, as the release does."""
    max_gradient: float = 10.0
    """Gradient clipping, table "HIM"."""
    shown: float = 1.0
    """Share of the way that what the policy is shown goes towards the internal model in an iteration, see
    `him.learn.shown`; 1 shows it at once (section 3.1). It calms down at the end of a run."""

    def __post_init__(self) -> None:
        _require(1 <= self.history <= 256, "history must be between 1 and 256 frames")
        _require(self.temperature > 0 and self.epsilon > 0, "temperature and epsilon must be positive")
        _require(self.prototypes >= 2, "prototypes must be at least 2, or there is nothing to tell apart")
        _require(self.velocity_scale > 0, "velocity_scale must be positive")
        _require(self.learning_rate >= 0, "the internal model's learning_rate must not be negative")
        _require(0 < self.shown <= 1, "shown must be above 0 and at most 1")
        _require(self.epochs >= 1, "epochs must be at least 1")


@dataclass(frozen=True)
class PpoSettings:
    """Proximal policy optimisation (paper, tables "General" and "PPO")."""

    actor: Widths = (512, 256, 128)
    """Hidden widths of the actor. Not printed; the release's."""
    critic: Widths = (512, 256, 128)
    """Hidden widths of the critic. Not printed; the release's."""
    epochs: int = 5
    """Number of epochs, table "General"."""
    minibatches: int = 4
    """4096 x 200 samples in minibatches of 4096 x 50, table "General"; the internal model's too."""
    reshuffle: bool = True
    """Draw new minibatches in every epoch. The release keeps the same four."""
    clip: float = 0.2
    """Clip range of the ratio and of the value, table "PPO"."""
    value_weight: float = 1.0
    """Not printed; the release's."""
    entropy: float = 0.01
    """Entropy coefficient at the start, table "PPO". With more, robots learn to move by shaking: what they do stops as
    soon as the noise does."""
    final_entropy: float = 0.005
    """What it goes down to, in a line, from `entropy_from` to `entropy_until`: less noise tracks better, but without
    any nothing new is learned. Not in the paper."""
    entropy_from: float = 0.1
    """Share of the run up to which the coefficient stays as it began."""
    entropy_until: float = 0.4
    """Share of the run after which the coefficient is the final one."""
    discount: float = 0.99
    """Discount factor, table "PPO"."""
    gae: float = 0.95
    """GAE discount factor, table "PPO"."""
    desired_kl: float = 0.02
    """Desired KL-divergence per update. Table "PPO" prints 0.01."""
    learning_rate: float = 1e-3
    """First learning rate, table "PPO"; adapted to `desired_kl` between the two bounds below."""
    min_learning_rate: float = 2e-4
    """Not printed. With the customary 1e-5 the rate sat at the bound and learning stalled."""
    max_learning_rate: float = 1e-3
    """Not printed."""
    max_gradient: float = 1.0
    """Gradient clipping over actor and critic together. Table "PPO" prints 10."""
    initial_std: float = 0.8
    """Standard deviation of the actions at the start. Not printed; the release has 1."""
    min_std: float = 0.05
    """The noise cannot collapse below this, else the ratio explodes and exploration ends."""
    max_std: float = 2.0
    """Nor can the entropy bonus drive it beyond this."""
    composed: float = 0.0
    """Share of the environments that act without noise, as a robot will. The policy learns nothing from them, but the
    internal model and the critic do: an estimate that has only seen robots that explore takes one that leans for one
    that walks."""
    ratio_reference: Literal["rollout", "embedding"] = "embedding"
    """What the ratio is measured against. The internal model moves before PPO and takes the policy with it.
    `rollout`: the policy that drew the actions, so the ratio is a true importance weight. `embedding`: that
    policy with the new embedding, to whose means the actions' noise is carried over, so PPO starts at ratio 1."""
    kl_reference: Literal["rollout", "embedding"] = "embedding"
    """What the adaptive rate measures. `embedding`: only what PPO itself changed, which is what the rate
    governs. `rollout` adds the internal model's drift, to which a smaller PPO rate is no answer."""
    cut_at_commands: bool = True
    """Value the successor of a step that a new command follows as if the old command went on, and credit no earlier
    action with the change. Nobody can foresee a command, and what it is worth differs so much that six tenths of the
    advantages' variance came from it (and another quarter from time-outs valued under a new command)."""
    anchor: float = 0.0
    """Weight of the distance, in nats, from what the policy that the run began with would do. For runs that go on
    from a policy: they keep what they have no reason to change. 0 keeps nothing."""
    timeout_value: Literal["successor", "current"] = "successor"
    """Value that stands for the future after a time-out: the true successor's, or, as the release does, that
    of the state before the step."""

    def entropy_at(self, done: float) -> float:
        """Entropy coefficient when this share of the run is done."""
        if done >= self.entropy_until:
            return self.final_entropy
        left = min(1.0, (self.entropy_until - done) / (self.entropy_until - self.entropy_from))
        return self.final_entropy + left * (self.entropy - self.final_entropy)

    def __post_init__(self) -> None:
        _require(
            0 < self.min_std <= self.initial_std <= self.max_std,
            "min_std <= initial_std <= max_std must hold",
        )
        _require(0 <= self.entropy_from < self.entropy_until, "0 <= entropy_from < entropy_until must hold")
        _require(
            0 < self.min_learning_rate <= self.learning_rate <= self.max_learning_rate,
            "min_learning_rate <= learning_rate <= max_learning_rate must hold",
        )
        _require(0 <= self.discount < 1 and 0 <= self.gae <= 1, "discount must be in [0, 1) and gae in [0, 1]")
        _require(self.epochs >= 1 and self.minibatches >= 1, "epochs and minibatches must be at least 1")
        _require(self.anchor >= 0, "anchor must not be negative")
        _require(0 <= self.composed < 1, "composed must be in [0, 1), or nobody would explore")


@dataclass(frozen=True)
class TrainSettings:
    """A whole training run."""

    him: HimSettings = field(default_factory=HimSettings)
    ppo: PpoSettings = field(default_factory=PpoSettings)
    envs: int = 4096
    """Parallel environments of each process, section 3.4."""
    rollout: int = 12
    """Steps between updates. The paper prints 100 (text) and 200 (table). What is learned in the first tenth of a run
    depends on the number of updates more than on their size; see docs/experiments.md."""
    samples: int = 200_000_000
    """Environment steps of the run, over all processes. The paper's table 1."""
    iterations: int | None = None
    """Iterations of the run; stands above `samples` where given."""
    seconds: float | None = None
    """Training time after which the run is finished all the same; unset: no limit."""
    symmetry: bool = True
    """Networks that answer a mirrored input, left and right exchanged, with the mirrored output. Not in the paper."""
    wait: float = 0.0
    """Share of the run, at its beginning, in which the policy and what it reads stay as they are and the rest learns:
    the critic, the target encoder. For runs that start from a policy file, which does not hold these."""
    calm_down: float = 0.3
    """Share of the run, at its end, over which the desired KL, the lower bound of PPO's rate and the internal
    model's rate go down in a line, so that policy and estimate settle. Not in the paper; 0 keeps them as they are."""
    calm_end: float = 0.05
    """Factor that is left of them at the end."""
    seed: int = 0
    checkpoint_seconds: float = 60.0
    """Time between checkpoints."""
    keep_checkpoints: int = 3
    """How many of them stay."""
    log_every: int = 10
    """Iterations between two lines of metrics; reading them is the only wait for the device."""
    max_skipped_updates: int = 200
    """Updates skipped for a loss or gradient that is not finite, after which the run saves and stops."""
    compile: bool | None = None
    """Compile the hot functions. Unset: on a GPU only, where it pays for its start-up time."""
    graphs: bool = True
    """Replay what surrounds physics, and minibatch steps, as CUDA graphs. Without a GPU or uncompiled they are not, nor
    are minibatch steps with several processes."""
    precision: Literal["highest", "high"] = "high"
    """Of float32 matrix products on a GPU: `high` allows TF32."""

    def __post_init__(self) -> None:
        _require(self.envs >= 1 and self.rollout >= 1, "envs and rollout must be at least 1")
        _require(
            self.log_every >= 1 and self.keep_checkpoints >= 1,
            "log_every and keep_checkpoints must be at least 1",
        )
        _require(
            self.envs * self.rollout >= self.ppo.minibatches,
            f"{self.envs} environments x {self.rollout} steps do not fill {self.ppo.minibatches} minibatches",
        )
        _require(
            0 <= self.calm_down <= 1 and 0 < self.calm_end <= 1, "calm_down must be in [0, 1] and calm_end in (0, 1]"
        )
        _require(0 <= self.wait < 1, "wait must be in [0, 1), or nothing would be learned")
        interleaved = self.him.schedule == "interleaved"
        _require(not interleaved or self.him.shown == 1, "the interleaved schedule shows the internal model at once")
        _require(not (interleaved and self.ppo.anchor), "the interleaved schedule has no anchor: set it to 0")
        moved = "embedding" in (self.ppo.ratio_reference, self.ppo.kl_reference)
        _require(
            not (interleaved and moved),
            "the interleaved schedule has no embedding to re-evaluate before PPO starts: "
            "set ratio_reference and kl_reference to rollout",
        )

    def pace(self, done: float) -> float:
        """Factor on what keeps the policy moving, when this share of the run is done."""
        return 1.0 if self.calm_down == 0 else min(1.0, max(self.calm_end, (1.0 - done) / self.calm_down))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TrainSettings:
        """Inverse of `to_dict` after a trip through JSON; refuses names it does not know."""
        return build(cls, data)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise HimError(f"impossible settings: {message}")
