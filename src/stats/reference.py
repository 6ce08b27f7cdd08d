"""Random samples with what NumPy, SciPy and textbook formulas say about them, as one JSON document on stdout.

reference_test.cpp runs this and holds the module's own figures against it.
"""
import json

import numpy as np
from scipy import optimize, stats

random = np.random.default_rng(20240229)


def some_samples(n):
    """Skewed, symmetric or coarse (with ties)."""
    kind = random.integers(3)
    if kind == 0:
        return random.lognormal(0, 0.5, n)
    if kind == 1:
        return random.normal(10, 2, n)
    return 1.0 + random.poisson(4, n)


def optional(value):
    return None if np.isnan(value) else float(value)


def distribution_cases():
    for degrees in [*random.uniform(0.8, 5, 20), *range(1, 60), 1e3, 1e5, 1e7]:
        yield {"kind": "t_bound", "degrees": float(degrees), "value": float(stats.t.ppf(0.975, degrees))}
    for _ in range(100):
        n = int(10 ** random.uniform(0, 5))
        p = float(random.uniform(0, 1))
        k = int(np.clip(random.normal(n * p, 2 * np.sqrt(n * p * (1 - p)) + 1), -1, n))
        yield {"kind": "binomial", "k": k, "n": n, "p": p, "value": float(stats.binom.cdf(k, n, p))}
    for p in random.uniform(0, 1, 50):
        z = float(stats.norm.ppf(p))
        yield {"kind": "normal", "p": float(p), "z": z}


def power_cases():
    """Power of the two-sided t test of n pairs whose differences have a mean of `effect` deviations."""
    for effect in [0.05, 0.2, 0.5, 1, 3]:
        for n in [2, 3, 5, 10, 34, 200]:
            bound, shift = stats.t.ppf(0.975, n - 1), effect * np.sqrt(n)
            power = stats.nct.sf(bound, n - 1, shift) + stats.nct.cdf(-bound, n - 1, shift)
            yield {"kind": "power", "effect": float(effect), "n": n, "value": float(power)}


def quantile_case():
    samples = some_samples(int(10 ** random.uniform(0, 3.3)))
    q = float(random.choice([0.1, 0.25, 0.5, 0.9, 0.99]))
    interval = stats.quantile_test(samples, p=q).confidence_interval(0.95)
    return {"kind": "quantile", "samples": samples.tolist(), "q": q, "value": float(np.quantile(samples, q)),
            "low": optional(interval.low), "high": optional(interval.high),
            "mad": float(stats.median_abs_deviation(samples))}


def groups_case():
    q = float(random.choice([0.25, 0.5, 0.9]))
    spread = random.choice([0.01, 0.1])
    groups = [random.lognormal(random.normal(0, spread), 0.1, int(random.integers(15, 60)))
              for _ in range(random.integers(2, 12))]
    pooled = np.concatenate(groups)
    value = np.quantile(pooled, q)
    sizes = np.array([len(group) for group in groups])
    shares = np.array([np.mean(group <= value) for group in groups])
    t = stats.t.ppf(0.975, len(groups) - 1)
    residuals = sizes / sizes.mean() * (shares - np.average(shares, weights=sizes))
    half_share = t * np.sqrt(np.sum(residuals**2) / (len(groups) - 1) / len(groups))
    half = t * stats.sem([np.quantile(group, q) for group in groups])
    woodruff = np.quantile(pooled, np.clip([q - half_share, q + half_share], 0, 1))
    return {"kind": "groups", "groups": [group.tolist() for group in groups], "q": q, "value": float(value),
            "low": float(min(value - half, woodruff[0])), "high": float(max(value + half, woodruff[1]))}


def mean_case():
    samples = some_samples(int(random.integers(2, 60)))
    interval = stats.ttest_1samp(samples, 0).confidence_interval(0.95)
    return {"kind": "mean", "samples": samples.tolist(), "value": float(samples.mean()),
            "error": float(stats.sem(samples)), "low": float(interval.low), "high": float(interval.high)}


def trend_case():
    n = int(random.integers(3, 120))
    samples = some_samples(n) + random.choice([0, 0.03]) * np.arange(n)
    score = sum(np.sign(samples[j] - samples[i]) for i in range(n) for j in range(i + 1, n))
    ties = np.unique(samples, return_counts=True)[1]
    variance = (n * (n - 1) * (2 * n + 5) - np.sum(ties * (ties - 1) * (2 * ties + 5))) / 18
    if n <= 30 and len(ties) == n:
        p_value = stats.kendalltau(np.arange(n), samples, method="exact").pvalue
    else:
        p_value = 2 * stats.norm.sf(max(0, abs(score) - 1) / np.sqrt(variance)) if score and variance else 1
    sen = stats.theilslopes(samples, np.arange(n), 0.95)
    centred = samples - samples.mean()
    lag1 = np.sum(centred[1:] * centred[:-1]) / np.sum(centred**2) if centred.any() else 0
    return {"kind": "trend", "samples": samples.tolist(), "score": int(score), "p_value": float(p_value),
            "slope": float(sen.slope), "low": float(sen.low_slope), "high": float(sen.high_slope),
            "lag1": float(lag1)}


def outliers_case():
    samples = random.standard_t(2, int(random.integers(4, 200)))
    first, third = np.percentile(samples, [25, 75])
    spread = third - first

    def indices(times):
        outside = (samples < first - times * spread) | (samples > third + times * spread)
        return np.flatnonzero(outside).tolist()

    return {"kind": "outliers", "samples": samples.tolist(), "any": indices(1.5), "severe": indices(3)}


def compare_case():
    baseline = random.lognormal(0, 0.2, int(random.integers(2, 30)))
    candidate = random.lognormal(0.1, 0.1, int(random.integers(2, 30)))
    pairs = min(len(baseline), len(candidate))
    unpaired = stats.ttest_ind(np.log(candidate), np.log(baseline), equal_var=False).confidence_interval(0.95)
    paired = stats.ttest_rel(np.log(candidate[:pairs]), np.log(baseline[:pairs])).confidence_interval(0.95)
    return {"kind": "compare", "baseline": baseline.tolist(), "candidate": candidate.tolist(),
            "value": float(stats.gmean(candidate) / stats.gmean(baseline)),
            "low": float(np.exp(unpaired.low)), "high": float(np.exp(unpaired.high)),
            "paired_value": float(stats.gmean(candidate[:pairs] / baseline[:pairs])),
            "paired_low": float(np.exp(paired.low)), "paired_high": float(np.exp(paired.high))}


def tost(difference, error, degrees, threshold):
    """The larger p of two one-sided tests."""
    margin = np.log1p(threshold)
    return max(stats.t.sf((difference + margin) / error, degrees), stats.t.sf((margin - difference) / error, degrees))


def difference_case():
    """Logarithms of pairs, and of two samples, by SciPy's t tests."""
    n, m = int(random.integers(3, 30)), int(random.integers(3, 30))
    a, b, other = random.lognormal(0, 0.05, n), random.lognormal(0.02, 0.08, n), random.lognormal(0.03, 0.04, m)
    threshold = float(random.choice([0.01, 0.03, 0.1]))
    logs, x, y = np.log(b) - np.log(a), np.log(a), np.log(other)
    paired, unpaired = stats.ttest_rel(np.log(b), np.log(a)), stats.ttest_ind(y, x, equal_var=False)
    pair_error, error = stats.sem(logs), np.hypot(stats.sem(x), stats.sem(y))
    return {"kind": "difference", "a": a.tolist(), "b": b.tolist(), "other": other.tolist(), "threshold": threshold,
            "paired_p": float(paired.pvalue), "p": float(unpaired.pvalue),
            "paired_tost": float(tost(logs.mean(), pair_error, n - 1, threshold)),
            "tost": float(tost(y.mean() - x.mean(), error, unpaired.df, threshold))}


def holm_case():
    """By the definition: step by step from the smallest p, never less than a step before."""
    p = random.uniform(0, 1, int(random.integers(1, 12))) ** 3
    order = np.argsort(p)
    steps = np.minimum(1, np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order]))
    adjusted = np.empty(len(p))
    adjusted[order] = steps
    return {"kind": "holm", "p": p.tolist(), "adjusted": adjusted.tolist()}


def limits_case():
    """Two-sided alpha spending with a look after every pair: Simpson's rule with steps of 0.05 on sums of normals."""
    level, planned = float(random.choice([0.0125, 0.0325, 0.05])), int(random.integers(20, 60))
    first = int(random.integers(5, 10))
    places, masses, made, spent, limits = np.zeros(1), np.ones(1), 0, 0, []
    for n in range(first, planned + 1):
        scale = np.sqrt(n - made)
        upto = 4 * stats.norm.sf(stats.norm.isf(level / 4) / np.sqrt(n / planned))

        def beyond(limit):
            return masses @ (stats.norm.sf((limit - places) / scale) + stats.norm.cdf((-limit - places) / scale))

        limit = optimize.brentq(lambda limit: beyond(limit) - (upto - spent), 0, 9 * np.sqrt(n), xtol=1e-12)
        grid = np.linspace(-limit, limit, 2 * int(limit / 0.05) + 1)
        weights = np.full(len(grid), 2.0)
        weights[1::2], weights[[0, -1]] = 4, 1
        density = stats.norm.pdf((grid[:, None] - places) / scale) @ masses / scale
        places, masses, made, spent = grid, density * weights * (grid[1] - grid[0]) / 3, n, upto
        limits.append(float(limit / np.sqrt(n)))
    return {"kind": "limits", "level": level, "planned": planned, "first": first, "limits": limits}


cases = [*distribution_cases(), *power_cases()]
for make, count in [(quantile_case, 200), (groups_case, 100), (mean_case, 100),
                    (trend_case, 100), (outliers_case, 50), (compare_case, 100), (difference_case, 60),
                    (holm_case, 30), (limits_case, 5)]:
    cases += [make() for _ in range(count)]
print(json.dumps(cases))
