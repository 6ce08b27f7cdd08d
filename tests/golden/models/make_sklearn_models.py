"""Makes iris.onnx and iris_by_name.onnx, as scikit-learn's users export classifiers: skl2onnx 1.20.0, scikit-learn 1.9.1.

The defaults end in ZipMap: a map from class to probability of each row. Run it in this folder.
"""

import numpy
import onnx
from skl2onnx import to_onnx
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

features, classes = load_iris(return_X_y=True)
features = features.astype("float32")
for name, target in (("iris", classes), ("iris_by_name", numpy.array(["setosa", "versicolor", "virginica"])[classes])):
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(features, target)
    onnx.save(to_onnx(pipeline, features[:1]), f"{name}.onnx")
