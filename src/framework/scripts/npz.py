def load_data():
    """Arrays as Keras and numpy store them: x_train, y_train, x_test and y_test."""
    arrays = np.load(DATA)

    def half(name):
        examples, labels = arrays["x_" + name], arrays["y_" + name].astype(np.int64)
        if examples.dtype != np.uint8:
            examples = examples.astype(np.float32)
        if examples.shape[1:] != EXAMPLE and examples.ndim == 4:
            last_is_channels = (examples.shape[-1], *examples.shape[1:3]) == EXAMPLE or examples.shape[-1] <= 4
            examples = np.moveaxis(examples, -1, 1) if last_is_channels else examples
        return examples.reshape(-1, *EXAMPLE), labels[:, 0] if labels.shape[1:] == (1,) else labels

    return half("train"), half("test")
