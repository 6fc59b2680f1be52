"""The papers' formulas written down plainly, one feature at a time: what the library is held against."""

from __future__ import annotations

import numpy as np


def eigensystem(S):
    """All eigenpairs of N, ascending, with D^1/2 1 rotated to the front of the zero eigenspace."""
    d = S.sum(axis=1)
    scale = np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 0)
    N = np.diag((d > 0).astype(float) * d * scale**2) - scale[:, None] * S * scale
    values, vectors = np.linalg.eigh(N)
    zero = np.flatnonzero(np.abs(values) < 1e-10)
    trivial = np.sqrt(d) / np.linalg.norm(np.sqrt(d))
    rotated, _ = np.linalg.qr(np.column_stack([trivial, vectors[:, zero]]))
    vectors[:, zero] = rotated[:, : zero.size]
    return values, vectors


def alphas(S, f):
    d = S.sum(axis=1)
    f_hat = np.sqrt(d) * f
    f_hat = f_hat / np.linalg.norm(f_hat)
    values, vectors = eigensystem(S)
    return values, vectors.T @ f_hat


def phi1(S, f, gamma):
    values, alpha = alphas(S, f)
    return np.sum(alpha**2 * gamma(values))


def phi2(S, f, gamma):
    values, alpha = alphas(S, f)
    return np.sum(alpha[1:] ** 2 * gamma(values[1:])) / np.sum(alpha[1:] ** 2)


def phi3(S, f, gamma, k):
    values, alpha = alphas(S, f)
    return np.sum((gamma(2.0) - gamma(values[1:k])) * alpha[1:k] ** 2)


def laplacian_score(S, f):
    """He, Cai and Niyogi's own formula."""
    D = np.diag(S.sum(axis=1))
    ones = np.ones(len(f))
    f_tilde = f - (f @ D @ ones) / (ones @ D @ ones) * ones
    return (f_tilde @ (D - S) @ f_tilde) / (f_tilde @ D @ f_tilde)


def knn_graph(X, k, weight):
    """Union of directed neighbours, ties to the lower index, weights from a function of the distance."""
    n = len(X)
    distance = np.array([[np.sqrt(np.sum((X[i] - X[j]) ** 2)) for j in range(n)] for i in range(n)])
    keep = np.zeros((n, n), dtype=bool)
    for i in range(n):
        others = sorted((j for j in range(n) if j != i), key=lambda j: (distance[i, j], j))
        keep[i, others[:k]] = True
    keep |= keep.T
    return np.where(keep, weight(distance, keep), 0.0), distance, keep


def fisher_score(f, y):
    """Zhao (2010), Eq. 3.12."""
    classes = np.unique(y)
    between = sum(np.sum(y == c) * (f[y == c].mean() - f.mean()) ** 2 for c in classes)
    within = sum(np.sum(y == c) * f[y == c].var() for c in classes)
    return between / within


def hsic(K, L):
    """The unbiased estimator of Song et al. (2007) with explicit kernels."""
    n = len(K)
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    one = np.ones(n)
    cross = (one @ K @ one) * (one @ L @ one) / ((n - 1) * (n - 2))
    return (np.trace(K @ L) + cross - 2 / (n - 2) * (one @ K @ L @ one)) / (n * (n - 3))


def relieff(X, y, k, difference):
    """Eq. 3.15 sample by sample; absolute differences on range-scaled features, squared ones on features as given."""
    n, m = X.shape
    if difference == "absolute":
        X = X / np.ptp(X, axis=0)
        distance = np.abs(X[:, None] - X).sum(axis=2)
    else:
        distance = ((X[:, None] - X) ** 2).sum(axis=2)
    distance = np.round(distance, 9)  # equal up to rounding is a tie, and ties go to the lower index
    prior = {c: np.mean(y == c) for c in np.unique(y)}
    score = np.zeros(m)
    for t in range(n):
        for c in np.unique(y):
            others = [j for j in range(n) if y[j] == c and j != t]
            near = sorted(others, key=lambda j: (distance[t, j], j))[:k]
            if not near:
                continue
            gap = np.abs(X[near] - X[t]) if difference == "absolute" else (X[near] - X[t]) ** 2
            score += gap.mean(axis=0) * (-1 if c == y[t] else prior[c] / (1 - prior[y[t]])) / n
    return score


def rrelieff(X, y, k):
    """Robnik-Šikonja and Kononenko's regression form, with equal influence of the k neighbours."""
    n, m = X.shape
    X = X / np.ptp(X, axis=0)
    distance = np.abs(X[:, None] - X).sum(axis=2)
    n_c, n_a, n_ca = 0.0, np.zeros(m), np.zeros(m)
    for t in range(n):
        near = sorted((j for j in range(n) if j != t), key=lambda j: (distance[t, j], j))[:k]
        for j in near:
            d_y = abs(y[t] - y[j]) / np.ptp(y) / k
            d_x = np.abs(X[t] - X[j])
            n_c += d_y
            n_a += d_x / k
            n_ca += d_y * d_x
    return n_ca / n_c - (n_a - n_ca) / (n - n_c)


def best_ratio(b, e, k):
    """The largest Σb/Σe over all subsets of size k, by trying them."""
    from itertools import combinations

    return max(b[list(s)].sum() / e[list(s)].sum() for s in combinations(range(len(b)), k))


def normalized_mutual_information(a, b):
    """I / max(H, H) from relative frequencies, 0 where a side is constant."""
    a, b = list(a), list(b)
    n = len(a)
    information = 0.0
    for u in set(a):
        for v in set(b):
            both = sum(x == u and z == v for x, z in zip(a, b, strict=True)) / n
            if both > 0:
                information += both * np.log(both / (a.count(u) / n * b.count(v) / n))
    entropies = [-sum(s.count(u) / n * np.log(s.count(u) / n) for u in set(s)) for s in (a, b)]
    return information / max(entropies) if max(entropies) > 0 else 0.0


def sselect(S, f, labels, weight):
    """Zhao and Liu (SDM 2007), Eq. 3.8; labels maps labelled samples to classes."""
    d = S.sum(axis=1)
    g = f - f @ d / d.sum()
    cut = g @ (np.diag(d) - S) @ g / (g @ np.diag(d) @ g)
    signs = [1 if g[i] >= 0 else -1 for i in labels]
    return weight * cut + (1 - weight) * (1 - normalized_mutual_information(signs, labels.values()))


def evsc_slopes(S, derivative):
    """Jiang and Ren, Eq. 12: every eigenvalue's slope by sums over pairs, from ∂S of one feature."""
    n, d = len(S), S.sum(axis=1)
    values, vectors = np.linalg.eigh(np.eye(n) - S / np.sqrt(np.outer(d, d)))
    slopes = []
    for value, vector in zip(values, vectors.T, strict=True):
        q = vector / np.sqrt(d)
        slope = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                slope += derivative[i, j] * ((q[i] - q[j]) ** 2 - value * (q[i] ** 2 + q[j] ** 2))
            slope -= derivative[i, i] * value * q[i] ** 2  # the diagonal moves D but not L
        slopes.append(slope)
    return np.array(slopes)


def identity(values):
    return values


def label_kernel(y):
    same = np.equal.outer(y, y)
    return same / same.sum(axis=1)


def scatter(X, y):
    """Scatter between and within classes of every feature at unit deviation."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    within = sum(((Z[y == c] - Z[y == c].mean(axis=0)) ** 2).sum(axis=0) for c in np.unique(y))
    return (Z**2).sum(axis=0) - within, within


def trace_ratio(X, y, k):
    """Nie et al. (2008): b - λe of every feature, at the best ratio λ of k of them."""
    b, e = scatter(X, y)
    return b - best_ratio(b, e, k) * e


def moran_i(W, f):
    """Moran (1950): products of neighbours' deviations, over the variance."""
    z = f - f.mean()
    products = sum(W[i, j] * z[i] * z[j] for i in range(len(f)) for j in range(len(f)))
    return len(f) / W.sum() * products / np.sum(z**2)


def geary_c(W, f):
    """Geary (1954): squared differences of neighbours, over the variance."""
    squares = sum(W[i, j] * (f[i] - f[j]) ** 2 for i in range(len(f)) for j in range(len(f)))
    return (len(f) - 1) / (2 * W.sum()) * squares / np.sum((f - f.mean()) ** 2)


def permutation_moments(A, f):
    """Mean and variance of zᵀAz over all orders of f (Cliff and Ord 1981), z = f - mean."""
    n, z = len(f), f - f.mean()
    H = np.eye(n) - 1 / n
    B = H @ A @ H
    p2, p4, t1, t2, d2 = np.sum(z**2), np.sum(z**4), np.trace(B), np.sum(B**2), np.sum(np.diag(B) ** 2)
    gaussian = 2 * ((n - 1) * t2 - t1**2) * p2**2 / ((n - 1) ** 2 * (n + 1))
    first = n * (n + 1) * d2 - (n - 1) * (t1**2 + 2 * t2)
    second = n * (n + 1) * p4 - 3 * (n - 1) * p2**2
    return p2 * t1 / (n - 1), gaussian + first * second / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))


def multiscale(S, f, times):
    """The largest standard score of φ2 over heat that flows for several times."""
    d = S.sum(axis=1)
    values, vectors = eigensystem(S)
    B = np.diag(d) - np.outer(d, d) / d.sum()
    found = []
    for time in times:
        gamma = (vectors * (1 - np.exp(-time * values))) @ vectors.T
        A = np.sqrt(d)[:, None] * gamma * np.sqrt(d)
        spread, _ = permutation_moments(B, f)
        mean = permutation_moments(A, f)[0] / spread
        sd = np.sqrt(permutation_moments(A - mean * B, f)[1]) / spread
        found.append((mean - phi2(S, f, lambda r, time=time: 1 - np.exp(-time * r))) / sd)
    return max(found)


def evsc(X):
    """Jiang and Ren's score on S = XXᵀ, whose derivative by the weight of f is 2ffᵀ."""
    return [np.abs(evsc_slopes(X @ X.T, 2 * np.outer(f, f))).sum() for f in X.T]


#: the literature's value of every feature, by the method's name: of X, y and S, the matrix of the selector's graph
NATIVE = {
    "spec-phi1": lambda X, y, S: [phi1(S, f, identity) for f in X.T],
    "spec-phi2": lambda X, y, S: [phi2(S, f, identity) for f in X.T],
    "spec-phi3": lambda X, y, S: [phi3(S, f, identity, 3) for f in X.T],
    "laplacian": lambda X, y, S: [laplacian_score(S, f) for f in X.T],
    "iterated-spec": lambda X, y, S: [phi2(S, f, identity) for f in X.T],
    "multiscale": lambda X, y, S: [multiscale(S, f, (0.5, 1, 2, 5, 10)) for f in X.T],
    "moran": lambda X, y, S: [moran_i(S, f) for f in X.T],
    "geary": lambda X, y, S: [geary_c(S, f) for f in X.T],
    "variance": lambda X, y, S: np.var(X, axis=0),
    "fisher": lambda X, y, S: [fisher_score(f, y) for f in X.T],
    "relieff": lambda X, y, S: relieff(X, y, 10, "absolute"),
    "hsic": lambda X, y, S: [hsic(label_kernel(y), np.outer(f, f) / f.var()) for f in X.T],
    "trace-ratio": lambda X, y, S: trace_ratio(X, y, X.shape[1] // 2),
    "sselect": lambda X, y, S: [sselect(S, f, dict(enumerate(y)), 0.1) for f in X.T],
    "evsc": lambda X, y, S: evsc(X),
    "msfs": lambda X, y, S: [phi2(S, f, identity) for f in X.T],
}
#: parameters with which the formulas above hold
NATIVE_PARAMETERS = {"spec-phi3": {"n_clusters": 3}, "evsc": {"similarity": "linear"}}
#: methods with no formula for one feature: what they promise is tested where they are
TOGETHER = {"mrsf": "optimality of the path", "kogs": "orders of its rankers, aggregated"}
