"""Makes the two tiny TensorFlow models of the engine's tests. Run once; TensorFlow is not in the project's lock:

    python3.11 -m venv /tmp/tf && /tmp/tf/bin/pip install tensorflow-cpu==2.21.0
    /tmp/tf/bin/python tests/golden/models/make_tensorflow_models.py

Writes conv.pb (frozen graph), conv.tflite and conv_saved/ (SavedModel) beside this file: a 3x3 convolution, a mean over
the picture and a dense layer, with weights from a recorded seed.
"""
import pathlib
import shutil

import numpy
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

SEED = 20261121
FOLDER = pathlib.Path(__file__).parent


class Network(tf.Module):
    def __init__(self):
        super().__init__()
        random = numpy.random.default_rng(SEED)
        self.kernel = tf.Variable(random.normal(size=(3, 3, 3, 4)).astype("float32"))
        self.dense = tf.Variable(random.normal(size=(4, 5)).astype("float32"))

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3], tf.float32, name="picture")])
    def __call__(self, picture):
        features = tf.nn.relu(tf.nn.conv2d(picture, self.kernel, strides=1, padding="SAME"))
        return tf.matmul(tf.reduce_mean(features, axis=[1, 2]), self.dense, name="scores")


def main():
    network = Network()
    function = network.__call__.get_concrete_function()
    frozen = convert_variables_to_constants_v2(function)
    (FOLDER / "conv.pb").write_bytes(frozen.graph.as_graph_def().SerializeToString())
    converter = tf.lite.TFLiteConverter.from_concrete_functions([function], network)
    (FOLDER / "conv.tflite").write_bytes(converter.convert())
    shutil.rmtree(FOLDER / "conv_saved", ignore_errors=True)
    tf.saved_model.save(network, str(FOLDER / "conv_saved"))
    (FOLDER / "conv_saved" / "fingerprint.pb").unlink(missing_ok=True)


main()
