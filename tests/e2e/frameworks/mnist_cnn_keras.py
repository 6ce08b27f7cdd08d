"""The small network of the MNIST example, written for Keras: mnist_cnn_keras.py SEED EPOCHS START.npz learns Fashion-MNIST from
these weights, as an ONNX file has them, and prints the test accuracy."""

import sys

import keras
import numpy as np
from fashion_mnist import read

seed, epochs, start = int(sys.argv[1]), int(sys.argv[2]), np.load(sys.argv[3])
keras.utils.set_random_seed(seed)
model = keras.Sequential(
    [
        keras.Input((28, 28, 1)),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.Conv2D(64, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Dropout(0.25),
        keras.layers.Flatten(),
        keras.layers.Dense(128, activation="relu"),
        keras.layers.Dropout(0.5),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.Adam(1e-3), metrics=["accuracy"])
kernels = [array for _, array in sorted(start.items()) if array.ndim > 1]
for layer, kernel in zip([layer for layer in model.layers if layer.weights], kernels, strict=True):
    if kernel.ndim == 4:
        layer.kernel.assign(kernel.transpose(2, 3, 1, 0))
    elif kernel.shape[1] == 9216:  # of 64 channels of 12 x 12, which lie last here
        layer.kernel.assign(kernel.reshape(-1, 64, 12, 12).transpose(2, 3, 1, 0).reshape(9216, -1))
    else:
        layer.kernel.assign(kernel.T)
pictures, classes = read("train")
model.fit(pictures[..., None] / 255.0, classes, batch_size=128, epochs=epochs, verbose=0)
pictures, classes = read("t10k")
print(model.evaluate(pictures[..., None] / 255.0, classes, batch_size=500, verbose=0)[1])
