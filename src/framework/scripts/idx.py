def load_data():
    """MNIST's files: arrays of bytes behind a header with their shape, packed by gzip or not."""

    def read(half, what):
        path = next(Path(DATA).glob(f"{half}-{what}?idx?-ubyte*"))
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        shape = np.frombuffer(content, ">i4", content[3], offset=4)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)

    return [(read(half, "images")[:, None], read(half, "labels").astype(np.int64)) for half in ("train", "t10k")]
