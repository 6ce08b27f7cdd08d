"""Random problems with what SciPy and scikit-learn make of them, as one JSON document on stdout.

reference_test.cpp runs this and holds the module's own solvers against it.
"""
import json

import numpy as np
from scipy import optimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Matern, WhiteKernel
from sklearn.linear_model import Ridge

random = np.random.default_rng(20261122)


def least_squares_case():
    rows, columns = random.integers(3, 40), random.integers(1, 15)
    a = random.normal(size=(rows, columns)) if random.integers(2) else random.uniform(size=(rows, columns))
    if columns > 2 and random.integers(2):
        a[:, -1] = a[:, 0] + 1e-3 * a[:, 1]  # nearly dependent
    a *= 10 ** random.uniform(-6, 6, columns)  # units of all kinds
    b = a @ (random.uniform(-1, 1, columns) / np.abs(a).mean(0)) + random.normal(size=rows)
    scale = np.linalg.norm(a, axis=0)
    solution, residual = optimize.nnls(a / scale, b)
    return {"kind": "nnls", "a": a.tolist(), "b": b.tolist(), "x": (solution / scale).tolist(), "residual": residual}


def ridge_case():
    rows, columns = random.integers(2, 30), random.integers(1, 20)
    a, b, penalty = random.normal(size=(rows, columns)), random.normal(size=rows), 10 ** random.uniform(-3, 2)
    fitted = Ridge(alpha=penalty, fit_intercept=False, solver="svd").fit(a, b)
    return {"kind": "ridge", "a": a.tolist(), "b": b.tolist(), "penalty": penalty, "x": fitted.coef_.tolist()}


def process_case():
    """One shared process with a length per column, slopes and noise, at given parameters."""
    rows, columns = random.integers(5, 40), random.integers(1, 5)
    places, at = random.normal(size=(rows, columns)), random.normal(size=(7, columns)) * 2
    target = np.sin(places.sum(1)) + 0.3 * places[:, 0]
    amplitude, slope, noise = random.uniform(0.2, 2, 3)
    lengths = random.uniform(0.3, 4, columns)
    kernel = (ConstantKernel(amplitude**2) * Matern(lengths, nu=2.5)
              + ConstantKernel(slope**2) * DotProduct(sigma_0=1e-9) + WhiteKernel(noise**2))
    process = GaussianProcessRegressor(kernel, alpha=1e-15, optimizer=None).fit(places, target)
    return {"kind": "process", "places": places.tolist(), "target": target.tolist(), "at": at.tolist(),
            "amplitude": amplitude, "slope": slope, "noise": noise, "lengths": lengths.tolist(),
            "mean": process.predict(at).tolist(), "log_likelihood": process.log_marginal_likelihood_value_}


print(json.dumps([make() for make, count in ((least_squares_case, 200), (ridge_case, 50), (process_case, 30))
                  for _ in range(count)]))
