#: head
#: imports

#: settings

os.environ["KERAS_BACKEND"] = BACKEND
if DEVICE == "cpu" or ":" in DEVICE:
    os.environ["CUDA_VISIBLE_DEVICES"] = DEVICE.partition(":")[2]
import keras
import numpy as np
from keras import layers, ops
#: image imports

if DEVICE != "cpu" and BACKEND != "torch" and not keras.distribution.list_devices("gpu"):
    raise RuntimeError(f"{BACKEND} finds no GPU")
keras.config.set_image_data_format("channels_first" if CHANNELS_FIRST else "channels_last")
keras.mixed_precision.set_global_policy({"bf16": "mixed_bfloat16", "f16": "mixed_float16"}.get(PRECISION, "float32"))


#: network


#: data


class Batches(keras.utils.PyDataset):
    """Of arrays, or of image files that are decoded for each batch."""

    def __init__(self, data):
        super().__init__(workers=max(1, LOADERS), use_multiprocessing=False)
        self.data, self.size = data, len(data if hasattr(data, "files") else data[1])
        self.order = np.arange(self.size)

    def __len__(self):
        return math.ceil(self.size / BATCH)

    def __getitem__(self, i):
        rows = self.order[i * BATCH : (i + 1) * BATCH]
        if hasattr(self.data, "files"):
            inputs, labels = map(np.stack, zip(*(self.data[row] for row in rows)))
        else:
            inputs, labels = self.data[0][rows], self.data[1][rows]
        if inputs.dtype == np.uint8:
            inputs = inputs.astype(np.float32) / 255
        if inputs.ndim == 4 and not CHANNELS_FIRST:
            inputs = np.moveaxis(inputs, 1, -1)
        return inputs, labels


class Course(keras.callbacks.Callback):
    """Shuffles by seed and epoch alone, so that every framework learns in the same order, and ends after STEPS steps."""

    def __init__(self, data):
        super().__init__()
        self.data, self.steps = data, 0

    def on_epoch_begin(self, epoch, logs=None):
        self.data.order = np.random.default_rng([SEED, epoch + 1]).permutation(self.data.size)

    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1
        if LOG_EVERY and (batch + 1) % LOG_EVERY == 0:
            print(f"step {batch + 1}: mean loss {logs['loss']:.6f}")
        if self.steps == STEPS:
            self.model.stop_training = True


#: events


def optimizer():
    if OPTIMIZER == "sgd":
        return keras.optimizers.SGD(LEARNING_RATE, MOMENTUM)
    return keras.optimizers.Adam(LEARNING_RATE, epsilon=1e-8, weight_decay=WEIGHT_DECAY or None)


def ctc_loss(labels, outputs):
    """All sequences are as long as each other."""
    batch = ops.shape(outputs)[0]
    lengths = ops.full((batch,), outputs.shape[1], "int32"), ops.full((batch,), labels.shape[1], "int32")
    return ops.ctc_loss(labels, outputs, lengths[1], lengths[0], mask_index=0) / labels.shape[1]


def main():
    keras.utils.set_random_seed(SEED)
    with phase("data_load"):
        halves = load_data()
        highest = max(int(np.max(half.labels if hasattr(half, "files") else half[1])) for half in halves)
        if highest >= CLASSES:
            raise ValueError(f"{DATA} has a class {highest}, and the network {CLASSES} outputs")
        train_data, test_data = map(Batches, halves)
    emit(event="value", name="train_samples", value=train_data.size)
    emit(event="value", name="test_samples", value=test_data.size)

    model = network()
    weights = np.load(WEIGHTS)
    for layer in model.layers:
        if layer.weights:
            layer.set_weights([weights[f"{layer.name}.{i}"] for i in range(len(layer.weights))])
    loss = ctc_loss if LOSS == "ctc" else keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    metrics = [] if LOSS == "ctc" else ["accuracy"]
    model.compile(optimizer(), loss, metrics=metrics, jit_compile=COMPILE)

    if STEPS:
        model.fit(train_data, epochs=EPOCHS, shuffle=False, callbacks=[Course(train_data)], verbose=2)
        for _ in range(2):  # the first pass over the test data takes longer than those that follow
            model.evaluate(test_data, steps=TEST_BATCHES or None, verbose=2)
    else:
        model.fit(train_data, epochs=EPOCHS, shuffle=False, validation_data=test_data, callbacks=[Course(train_data)], verbose=2)
    model.save(SAVE)


if __name__ == "__main__":
    main()
