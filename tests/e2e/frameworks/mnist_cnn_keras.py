"""The small network of the MNIST example, written for Keras, its weights drawn as neph's are: mnist_cnn_keras.py SEED EPOCHS learns Fashion-MNIST and prints the
test accuracy."""

import sys

import keras
from fashion_mnist import read

seed, epochs = int(sys.argv[1]), int(sys.argv[2])
keras.utils.set_random_seed(seed)
model = keras.Sequential(
    [
        keras.Input((28, 28, 1)),
        keras.layers.Conv2D(32, 3, activation="relu", kernel_initializer="he_normal"),
        keras.layers.Conv2D(64, 3, activation="relu", kernel_initializer="he_normal"),
        keras.layers.MaxPooling2D(),
        keras.layers.Dropout(0.25),
        keras.layers.Flatten(),
        keras.layers.Dense(128, activation="relu", kernel_initializer="he_normal"),
        keras.layers.Dropout(0.5),
        keras.layers.Dense(10, activation="softmax", kernel_initializer="he_normal"),
    ]
)
model.compile(loss="sparse_categorical_crossentropy", optimizer=keras.optimizers.Adam(1e-3), metrics=["accuracy"])
pictures, classes = read("train")
model.fit(pictures[..., None] / 255.0, classes, batch_size=128, epochs=epochs, verbose=0)
pictures, classes = read("t10k")
print(model.evaluate(pictures[..., None] / 255.0, classes, batch_size=500, verbose=0)[1])
