"""Linear probes, silhouette and t-SNE (scikit-learn)."""

from typing import Any

import numpy as np

from him.bench.latent import Walks

HELD_OUT = 0.25
"""Share of the trajectories that the probes are judged on."""

RESAMPLES = 200
"""Of the held-out trajectories, for the intervals."""

MOST = 4000
"""Instants that the silhouette compares with each other."""

PENALTIES = np.logspace(-2, 4, 13)
"""Ridge penalties to choose from."""

SOURCES = ("latent", "history")


def figures(walks: Walks, seed: int = 0) -> dict[str, Any]:
    """Silhouette of the terrains and the scores of all probes."""
    held = held_out(walks.robot, seed)
    return {
        "instants": len(walks.robot),
        "trajectories": len(np.unique(walks.robot)),
        "silhouette": {
            source: round(silhouette(getattr(walks, source), walks.labels["terrain"], seed), 4) for source in SOURCES
        },
        "probes": {
            label: {
                source: probe(getattr(walks, source), values, walks.robot, held, label == "terrain")
                for source in SOURCES
            }
            for label, values in walks.labels.items()
        },
    }


def held_out(robot: np.ndarray, seed: int = 0) -> np.ndarray:
    """Which rows belong to held-out trajectories: all of a trajectory, or nothing."""
    robots = np.random.default_rng(seed).permutation(np.unique(robot))
    return np.isin(robot, robots[: max(round(HELD_OUT * len(robots)), 1)])


def probe(x: np.ndarray, y: np.ndarray, robot: np.ndarray, held: np.ndarray, classes: bool) -> dict[str, float]:
    """Fit on the one part, judge on the other; the interval is that of the held-out trajectories, drawn anew."""
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    kind = LogisticRegression(max_iter=1000) if classes else RidgeCV(PENALTIES)
    model = make_pipeline(StandardScaler(), kind).fit(x[~held], y[~held])
    said, true, whose = model.predict(x[held]), y[held], robot[held]
    rows = [np.flatnonzero(whose == one) for one in np.unique(whose)]
    rng = np.random.default_rng(0)
    drawn = [np.concatenate([rows[i] for i in rng.integers(len(rows), size=len(rows))]) for _ in range(RESAMPLES)]
    scores = [_score(true[some], said[some], classes) for some in drawn]
    low, high = np.percentile(scores, [2.5, 97.5])
    return {
        "score": round(_score(true, said, classes), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
    }


def _score(true: np.ndarray, said: np.ndarray, classes: bool) -> float:
    """Accuracy, or the share of the variance that is explained."""
    if classes:
        return float((true == said).mean())
    return float(1.0 - np.square(true - said).sum() / max(np.square(true - true.mean()).sum(), 1e-12))


def silhouette(x: np.ndarray, labels: np.ndarray, seed: int) -> float:
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(x, labels, sample_size=min(MOST, len(x)), random_state=seed))


def picture(walks: Walks, points: int, seed: int = 0) -> dict[str, Any]:
    """t-SNE of some latents, and the terrain of each."""
    from sklearn.manifold import TSNE

    chosen = np.random.default_rng(seed).permutation(len(walks.latent))[:points]
    perplexity = min(30.0, (len(chosen) - 1) / 3)
    place = TSNE(init="pca", perplexity=perplexity, random_state=seed).fit_transform(walks.latent[chosen])
    return {
        "place": [[round(float(v), 2) for v in row] for row in place],
        "terrain": walks.labels["terrain"][chosen].tolist(),
    }
