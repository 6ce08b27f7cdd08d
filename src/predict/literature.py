"""The literature's pipeline in Python (Lattuada et al. 2022), with scikit-learn and mlxtend.

literature_reference.py holds src/predict/lattuada.hpp and its neighbours against this; `./dev bench` runs both in turn.
A feature is a triple (powers of quantities, powers of plain numbers, level asked for of each category or -1), as
feature.hpp has it.
"""
import itertools

import numpy as np
from mlxtend.feature_selection import SequentialFeatureSelector
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def products_up_to(degree, quantities, plain, levels):
    """Features and their columns: numbers, inverses, levels, products of them; what is always the same left out."""
    one = ((0,) * quantities.shape[1], (0,) * plain.shape[1], (-1,) * levels.shape[1])

    def with_one(kind, place, value):
        parts = [list(part) for part in one]
        parts[kind][place] = value
        return tuple(map(tuple, parts))

    factors = [(with_one(0, q, 1), quantities[:, q]) for q in range(quantities.shape[1])]
    factors += [(with_one(1, j, 1), plain[:, j]) for j in range(plain.shape[1])]
    factors += [(with_one(0, q, -1), 1 / quantities[:, q]) for q in range(quantities.shape[1])]
    factors += [(with_one(2, c, level), (levels[:, c] == level).astype(float))
                for c in range(levels.shape[1]) for level in range(levels[:, c].max() + 1)]
    made = {}
    for count in range(1, degree + 1):
        for chosen in itertools.combinations_with_replacement(factors, count):
            asked = [{feature[2][c] for feature, _ in chosen} - {-1} for c in range(levels.shape[1])]
            if any(len(wanted) > 1 for wanted in asked):
                continue  # no row has two levels of one category
            feature = (tuple(sum(feature[0][q] for feature, _ in chosen) for q in range(quantities.shape[1])),
                       tuple(sum(feature[1][j] for feature, _ in chosen) for j in range(plain.shape[1])),
                       tuple(max(wanted, default=-1) for wanted in asked))
            if feature != one:
                made.setdefault(feature, np.prod([column for _, column in chosen], axis=0))
    return list(made), np.column_stack(list(made.values()))


def distinct(columns):
    """Columns that vary and are no earlier one but for factor and offset."""
    kept, seen = [], []
    for j, column in enumerate(columns.T):
        column = column / max(np.abs(column).max(), 1e-300)
        if column.std() <= 1e-12:
            continue
        scaled = (column - column.mean()) / column.std()
        if any(min(np.abs(scaled - other).max(), np.abs(scaled + other).max()) < 1e-7 for other in seen):
            continue
        kept.append(j)
        seen.append(scaled)
    return kept


def select(columns, target, folds, penalty, most):
    """mlxtend's forward selection; what is learned of a fold's rows, the scaling too, is learned without them."""
    folds = np.asarray(folds)
    splits = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(folds.max() + 1)]
    model = make_pipeline(StandardScaler(), Ridge(alpha=penalty))
    return SequentialFeatureSelector(model, k_features=(1, min(most, columns.shape[1])), forward=True, floating=False,
                                     scoring="neg_mean_squared_error", cv=splits).fit(columns, target)


def lattuada(columns, target, folds, penalties, most):
    """The best selection over all penalties, and the pipeline fitted to it."""
    tried = [(select(columns, target, folds, penalty, most), penalty) for penalty in penalties]
    best, penalty = max(tried, key=lambda one: one[0].k_score_)
    chosen = list(best.k_feature_idx_)
    return best, chosen, make_pipeline(StandardScaler(), Ridge(alpha=penalty)).fit(columns[:, chosen], target)


def stepwise(columns, target, entry=0.05, removal=0.1, tolerance=1e-4):
    """Columns by partial F tests, each regression fitted anew."""
    rows, chosen = len(target), []

    def squares(of):
        matrix = np.column_stack([np.ones(rows), *(columns[:, j] for j in of)])
        return ((target - matrix @ np.linalg.lstsq(matrix, target, rcond=None)[0]) ** 2).sum()

    def own_share(j):
        matrix = np.column_stack([np.ones(rows), *(columns[:, i] for i in chosen)])
        rest = columns[:, j] - matrix @ np.linalg.lstsq(matrix, columns[:, j], rcond=None)[0]
        return (rest**2).sum() / ((columns[:, j] - columns[:, j].mean()) ** 2).sum()

    def probability(smaller, larger):
        left = rows - 1 - len(larger)
        return stats.f.sf((squares(smaller) - squares(larger)) / (squares(larger) / left), 1, left)

    def first(candidates, gain):
        """The first of those that are best: with some columns in, others may say exactly the same."""
        gains = {j: gain(j) for j in candidates}
        return next((j for j in candidates if gains[j] >= max(gains.values()) - 1e-9 * abs(max(gains.values()))), None)

    while len(chosen) < rows - 2:
        others = [j for j in range(columns.shape[1]) if j not in chosen and own_share(j) >= tolerance]
        best = first(others, lambda j: squares(chosen) - squares(chosen + [j]))
        if best is None or probability(chosen, chosen + [best]) >= entry:
            break
        chosen.append(best)
        while chosen:
            worst = first(chosen, lambda j: squares(chosen) - squares([i for i in chosen if i != j]))
            if probability([i for i in chosen if i != worst], chosen) <= removal:
                break
            chosen.remove(worst)
    return chosen
