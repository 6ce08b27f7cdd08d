"""Model.fit, evaluate and save, as keras.io's first example has them."""

import keras
import numpy as np

keras.utils.set_random_seed(1)
pictures = np.random.rand(3200, 28, 28, 1).astype("float32")
classes = np.random.randint(0, 10, 3200)
model = keras.Sequential(
    [
        keras.Input((28, 28, 1)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(pictures, classes, batch_size=64, epochs=2, validation_split=0.1)
print("Test accuracy:", model.evaluate(pictures[:500], classes[:500], verbose=0)[1])
model.save("model.keras")
