"""Random problems with what SciPy and scikit-learn make of them, as one JSON document on stdout.

reference_test.cpp runs this and holds the module's own solvers against it.
"""
import json

import numpy as np
from scipy import optimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Matern, WhiteKernel
from sklearn.linear_model import RidgeCV

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


def log_linear_case():
    rows, columns, levels = int(random.integers(12, 60)), int(random.integers(1, 6)), int(random.integers(2, 6))
    numbers = random.normal(size=(rows + 5, columns)) * 10 ** random.uniform(-3, 3, columns)
    level = np.concatenate([np.arange(levels), random.integers(0, levels, rows + 5 - levels)])
    target = numbers @ random.normal(size=columns) / np.abs(numbers).mean() + random.normal(size=levels)[level] + 0.3 * random.normal(size=rows + 5)
    fitted = numbers[:rows]
    scaled = (numbers - fitted.mean(0)) / fitted.std(0)
    design = np.hstack([scaled, np.eye(levels)[level]])
    model = RidgeCV(alphas=[1e-3, 1e-2, 0.1, 1, 10, 100]).fit(design[:rows], target[:rows])
    return {"kind": "log-linear", "numbers": fitted.tolist(), "levels": level[:rows].tolist(), "target": target[:rows].tolist(),
            "at": numbers[rows:].tolist(), "levels_at": level[rows:].tolist(), "mean": model.predict(design[rows:]).tolist()}  # fmt: skip


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


print(json.dumps([make() for make, count in ((least_squares_case, 200), (log_linear_case, 50), (process_case, 30))
                  for _ in range(count)]))
