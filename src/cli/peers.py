"""Other predictors of tables, for 'neph validate --against': what a user would pick instead.

stdin: a JSON line, {"columns": [{"name", "values"}], "target": [...], "splits": [{"train", "test"}], "methods": [...]}.
stdout: a JSON line for each method and split, {"method", "split", "values"}, or {"method", "missing"} where its package is not installed.
Each predicts the logarithm of the target from logarithms of positive numbers and one-hot categories; AutoGluon gets the table as it is.
"""

import json
import math
import os
import sys
import warnings

warnings.filterwarnings("ignore")
PACKAGES = {"ridge": "scikit-learn", "gp": "scikit-learn", "forest": "scikit-learn", "xgboost": "xgboost", "autogluon": "autogluon.tabular"}


def numbers_of(values, train):
    """Of a column of numbers: logarithms where all are positive, scaled; an empty cell is the median."""
    known = sorted(values[i] for i in train if values[i] is not None)
    usual = known[len(known) // 2] if known else 0.0
    filled = [usual if value is None else value for value in values]
    if min(filled) > 0:
        filled = [math.log(value) for value in filled]
    mean = sum(filled[i] for i in train) / len(train)
    width = math.sqrt(sum((filled[i] - mean) ** 2 for i in train) / len(train)) or 1.0
    return [(value - mean) / width for value in filled]


def features_of(columns, train):
    features = []
    for column in columns:
        values = column["values"]
        if all(value is None or isinstance(value, (int, float)) for value in values):
            features.append(numbers_of(values, train))
        else:
            for level in sorted({str(values[i]) for i in train}):
                features.append([1.0 if str(value) == level else 0.0 for value in values])
    return list(zip(*features))


def regressor(method, threads):
    if method == "ridge":
        from sklearn.linear_model import RidgeCV

        return RidgeCV([10.0**k for k in range(-4, 4)])
    if method == "gp":
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

        kernel = ConstantKernel(1.0) * Matern(2.0, (1e-2, 1e3), nu=2.5) + WhiteKernel(1e-2, (1e-6, 1.0))
        return GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)
    if method == "forest":
        from sklearn.ensemble import RandomForestRegressor

        return RandomForestRegressor(300, n_jobs=threads, random_state=0)
    from xgboost import XGBRegressor

    return XGBRegressor(n_estimators=300, max_depth=6, learning_rate=0.1, n_jobs=threads)


def by_autogluon(columns, target, train, test, threads):
    import tempfile

    import pandas
    from autogluon.tabular import TabularPredictor

    table = pandas.DataFrame({column["name"]: column["values"] for column in columns})
    table["neph target"] = [math.log(value) for value in target]
    with tempfile.TemporaryDirectory() as folder:
        predictor = TabularPredictor("neph target", problem_type="regression", path=folder, verbosity=0)
        predictor.fit(table.iloc[train], time_limit=60, num_cpus=threads)
        return [math.exp(value) for value in predictor.predict(table.iloc[test].drop(columns="neph target"))]


def predicted(method, task, split, threads):
    columns, target, train, test = task["columns"], task["target"], split["train"], split["test"]
    if method == "autogluon":
        return by_autogluon(columns, target, train, test, threads)
    rows = features_of(columns, train)
    if method == "gp":
        train = train[:: -(-len(train) // 1500)]  # 1,500 rows at most: a cubic
    model = regressor(method, threads)
    model.fit([rows[i] for i in train], [math.log(target[i]) for i in train])
    return [math.exp(min(700.0, float(value))) for value in model.predict([rows[i] for i in test])]


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what packages print
    task = json.loads(sys.stdin.readline())
    for method in task["methods"]:
        for number, split in enumerate(task["splits"]):
            try:
                values = predicted(method, task, split, len(os.sched_getaffinity(0)))
            except ImportError as error:
                print(json.dumps({"method": method, "missing": PACKAGES[method], "why": str(error)}), file=answers, flush=True)
                break
            print(json.dumps({"method": method, "split": number, "values": values}), file=answers, flush=True)


main()
