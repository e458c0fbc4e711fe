"""The slow, literal reading of every formula: loops, and the paper's A^ij stored.

Nothing here knows the package; a weight is a repetition of its row.
"""

import itertools

import numpy as np
from scipy.optimize import minimize, minimize_scalar

# --- projections -----------------------------------------------------------------


def class_histogram(codes, y, n_classes, d, value, pseudo, prior):
    """Return phi_d(value): class shares among the rows that have it, else the prior."""
    counts = [0.0] * n_classes
    for row, label in zip(codes, y, strict=True):
        if row[d] == value:
            counts[label] += 1.0
    total = sum(counts) + pseudo
    if total == 0.0:
        return np.array(prior)
    return np.array(
        [(n + pseudo * pi) / total for n, pi in zip(counts, prior, strict=True)]
    )


def cooccurrence_histogram(codes, n_values, d, value):
    """Return P(x_e = g | x_d = value) over all g of all e; value None is any value."""
    channels = []
    for e, size in enumerate(n_values):
        if e == d and len(n_values) > 1:
            channels += [0.0] * size
            continue
        seen = [row[e] for row in codes if row[e] >= 0]
        here = [
            row[e]
            for row in codes
            if row[e] >= 0 and (value is None or row[d] == value)
        ]
        here = here or seen  # a value that never occurs is like any
        channels += [here.count(g) / max(len(here), 1) for g in range(size)]
    return np.array(channels)


# --- distances -------------------------------------------------------------------


def difference_matrices(phi, structure):
    """Return A^ij (n, n, B, W, W) such that the squared distance is <A^ij, M>."""
    return np.array([[_difference_matrix(a - b, structure) for b in phi] for a in phi])


def _difference_matrix(delta, structure):
    """Return A (B, W, W) of one difference (D, C)."""
    n_features, n_channels = delta.shape
    if structure == "single":
        return np.array([delta @ delta.T])
    if structure == "multi":
        return np.array([np.outer(delta[:, c], delta[:, c]) for c in range(n_channels)])
    if structure == "diagonal":
        return np.array([[[delta[d] @ delta[d]]] for d in range(n_features)])
    return np.array([np.outer(delta.ravel(), delta.ravel())])


def squared_distances(A, M):
    """Return the sum over blocks of Tr(A_b M_b), for every pair (n, n)."""
    return np.array(
        [
            [
                sum(np.trace(a @ m) for a, m in zip(stack, M, strict=True))
                for stack in row
            ]
            for row in A
        ]
    )


# --- constraints: (offset, [(i, j, sign), ...]), one by one -------------------------


def copies(weights):
    """Return the cell of each row that the cells stand for."""
    return [cell for cell, w in enumerate(weights) for _ in range(int(w))]


def triplets(y, weights, margin):
    """Return d_ij + margin - d_ik for all j != i of i's class and k of another."""
    rows = copies(weights)
    return [
        (margin, [(i, j, 1.0), (i, k, -1.0)])
        for a, i in enumerate(rows)
        for b, j in enumerate(rows)
        for k in rows
        if a != b and y[i] == y[j] and y[k] != y[i]
    ]


def pairs(y, weights, margin):
    """Return 1 + r_ij (d_ij - margin) for all ordered i != j."""
    rows = copies(weights)
    signs = [
        (i, j, 1.0 if y[i] == y[j] else -1.0)
        for (a, i), (b, j) in itertools.product(enumerate(rows), repeat=2)
        if a != b
    ]
    return [(1.0 - r * margin, [(i, j, r)]) for i, j, r in signs]


def quadruplets(y, weights, margin):
    """Return d_ij + margin - d_kl for unordered alike (i, j) and unlike (k, l)."""
    both = list(itertools.combinations(copies(weights), 2))
    alike = [(i, j) for i, j in both if y[i] == y[j]]
    unlike = [(i, j) for i, j in both if y[i] != y[j]]
    return [
        (margin, [(i, j, 1.0), (k, m, -1.0)])
        for (i, j), (k, m) in itertools.product(alike, unlike)
    ]


def soft_neighbors(d2, y, weights, margin=1.0):
    """Return the mean of - log P(row a draws one of its class), b as exp(-d2)."""
    rows = copies(weights)
    losses = []
    for a, i in enumerate(rows):
        alike = [j for b, j in enumerate(rows) if b != a and y[j] == y[i]]
        others = [j for j in rows if y[j] != y[i]]
        if alike and others:
            drawn = sum(np.exp(-d2[i, j] / margin) for j in alike)
            anyone = drawn + sum(np.exp(-d2[i, k] / margin) for k in others)
            losses.append(np.log(anyone) - np.log(drawn))
    return sum(losses) / len(losses)


def hinge(z, width=0.0):
    """Return value and slope of the hinge, its corner rounded over ``width``."""
    if z <= 0.0:
        return 0.0, 0.0
    if z < width:
        return z * z / (2.0 * width), z / width
    return z - width / 2.0, 1.0


def mean_loss(constraints, d2, width=0.0):
    """Return mean loss, the multiplier alpha of each constraint, and its share of b."""
    total, intercept, alphas = 0.0, 0.0, []
    for offset, terms in constraints:
        value, slope = hinge(offset + sum(s * d2[i, j] for i, j, s in terms), width)
        total += value / len(constraints)
        intercept += slope * offset / len(constraints)
        alphas.append(slope)
    return total, alphas, intercept


def loss_weights(constraints, alphas, n):
    """Return d loss / d d2_ij, summed into i <= j (n, n)."""
    W = np.zeros((n, n))
    for (_, terms), alpha in zip(constraints, alphas, strict=True):
        for i, j, sign in terms:
            W[min(i, j), max(i, j)] += alpha * sign / len(constraints)
    return W


def loss_gradient(constraints, alphas, A):
    """Return the mean of alpha (A^ij - A^ik) over the constraints (B, W, W)."""
    G = np.zeros(A.shape[2:])
    for (_, terms), alpha in zip(constraints, alphas, strict=True):
        for i, j, sign in terms:
            G += alpha * sign * A[i, j] / len(constraints)
    return G


def all_pairs(d2, sides, width=0.0):
    """Return loss, slope in each distance (a, n) and intercept, pair by pair."""
    loss, intercept, weights = 0.0, 0.0, np.zeros(d2.shape)
    for row in range(len(d2)):
        for near, share in _near_columns(sides, row):
            for far in sides.far:
                mass = sides.shares[row] * share * sides.weights[far]
                z = float(d2[row, near]) + sides.margin - float(d2[row, far])
                value, slope = hinge(z, width)
                loss += mass * value
                intercept += mass * slope * sides.margin
                weights[row, near] += mass * slope
                weights[row, far] -= mass * slope
    return loss, weights, intercept


def _near_columns(sides, row):
    """Return (column, weight) of each near column of a row; one may come twice."""
    columns = sides.near if sides.near.ndim == 1 else sides.near[row]
    weights = sides.weights[columns]
    if sides.near_weights is not None:
        weights = sides.near_weights[row]
    return [
        (
            column,
            sides.self_weights[row] if column == sides.self_columns[row] else weight,
        )
        for column, weight in zip(columns, weights, strict=True)
    ]


# --- scores and neighbours ----------------------------------------------------------


def triplet_accuracy(d2, y, weights=None):
    """Return the share of triplets in order, ties counting one half."""
    weights = np.ones(len(y)) if weights is None else weights
    scores = []
    for _, ((i, j, _), (_, k, _)) in triplets(y, weights, 0.0):
        scores.append(1.0 if d2[i, j] < d2[i, k] else 0.5 * (d2[i, j] == d2[i, k]))
    return sum(scores) / len(scores)


def neighbor_votes(distances, weights, k):
    """Return each cell's votes: one a row, those tied at the k-th share the rest."""
    rows = sorted((distances[c], c) for c in copies(weights))
    k = min(k, len(rows))
    last = rows[k - 1][0]
    nearer = [c for d, c in rows if d < last]
    tied = [c for d, c in rows if d == last]
    votes = np.zeros(len(distances))
    for c in nearer:
        votes[c] += 1.0
    for c in tied:
        votes[c] += (k - len(nearer)) / len(tied)
    return votes


# --- regularizers --------------------------------------------------------------------


def power_sum(x, p):
    return sum(abs(float(t)) ** p for t in x)


def norm(x, p):
    """Return the l_p norm."""
    return max(map(abs, x)) if p == np.inf else power_sum(x, p) ** (1.0 / p)


def numeric_prox(v, step, penalty):
    """Return argmin over x >= 0 of |x - v|^2 / 2 + step penalty(x), by search."""

    def cost(x):
        x = np.abs(x)
        return ((x - v) ** 2).sum() / 2.0 + step * penalty(x)

    x = np.maximum(v, 0.0)
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000}
    for _ in range(3):  # the search may stall; it starts anew where it stopped
        x = minimize(cost, x, method="Nelder-Mead", options=options).x
    return np.abs(x)


def numeric_power_conjugate(slopes, strength, p):
    """Return sup over x >= 0 of <slopes, x> - strength sum x^p, entry by entry."""
    total = 0.0
    for s in slopes:
        top = (max(s, 0.0) / strength) ** (1.0 / (p - 1.0)) + 1.0
        best = minimize_scalar(
            lambda x, s=s: strength * x**p - s * x,
            bounds=(0.0, top),
            method="bounded",
            options={"xatol": 1e-10},
        )
        total += max(-best.fun, 0.0)
    return total


# --- target neighbours ---------------------------------------------------------------


def local_targets(d2, y, weights, n_targets):
    """Return (i, {target: how many rows of it}) of each row: the nearest of its class.

    Those equally near at the last place share it.
    """
    rows = copies(weights)
    found = []
    for a, i in enumerate(rows):
        others = [j for b, j in enumerate(rows) if b != a and y[j] == y[i]]
        others.sort(key=lambda j, i=i: d2[i, j])
        last = d2[i, others[:n_targets][-1]] if others else 0.0
        rounding = 1e-8 * d2.max(initial=1e-300)
        nearer = [j for j in others if d2[i, j] < last - rounding]
        tied = [j for j in others if abs(d2[i, j] - last) <= rounding]
        share = min(1.0, (n_targets - len(nearer)) / max(len(tied), 1))
        counts = {j: float(nearer.count(j)) for j in nearer}
        found.append((i, counts | {j: share * tied.count(j) for j in tied}))
    return found


def local_loss(targets, d2, y, margin=1.0, width=0.0):
    """Return loss, d loss / d d2_ij summed into i <= j (n, n), and intercept."""
    rows = [i for i, _ in targets]
    strangers = {i: [k for k in rows if y[k] != y[i]] for i in rows}
    mass = sum(sum(near.values()) * len(strangers[i]) for i, near in targets)
    total, W, slopes = 0.0, np.zeros(d2.shape), 0.0
    stated = [(i, j, w) for i, near in targets for j, w in near.items()]
    for i, j, w in [each for each in stated if strangers[each[0]]]:
        total += w * d2[i, j]
        W[min(i, j), max(i, j)] += w
        for k in strangers[i]:
            value, slope = w * np.array(hinge(d2[i, j] + margin - d2[i, k], width))
            total, slopes = total + value, slopes + slope
            W[min(i, j), max(i, j)] += slope
            W[min(i, k), max(i, k)] -= slope
    return total / mass, W / mass, margin * slopes / mass
