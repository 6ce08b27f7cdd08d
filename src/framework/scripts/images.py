class Images:
    """Image files with their classes, decoded when they are used: the square in the middle, scaled to the network's input."""

    def __init__(self, files, labels):
        self.files, self.labels = files, np.array(labels, np.int64)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with Image.open(self.files[i]) as image:
            square = ImageOps.fit(image.convert("L" if EXAMPLE[0] == 1 else "RGB"), EXAMPLE[:0:-1], Image.Resampling.BILINEAR)
        return np.atleast_3d(square).transpose(2, 0, 1), self.labels[i]

    def decoded(self):
        return np.stack([self[i][0] for i in range(len(self))]), self.labels


def find_images():
    """Name and file of each, in a folder or in an archive."""
    if Path(DATA).is_dir():
        found = [(file.relative_to(DATA), file) for file in Path(DATA).rglob("*") if not file.is_dir()]
    else:
        with tarfile.open(DATA) as archive:
            found = [(Path(file.name), io.BytesIO(archive.extractfile(file).read())) for file in archive if file.isfile()]
    return sorted((item for item in found if item[0].suffix.lower() in (".bmp", ".jpeg", ".jpg", ".png")), key=lambda item: item[0])


def load_data():
    """train/CLASS and test/CLASS (or val/CLASS), or CLASS alone, of which a tenth is for the test."""
    tests = ("test", "val", "validation")
    names, files = zip(*find_images())
    names = [name.parts for name in names]
    while names[0][0] not in ("train", *tests) and all(len(name) > 2 and name[0] == names[0][0] for name in names):
        names = [name[1:] for name in names]  # a folder around everything
    if all(name[0] != "train" for name in names):
        names = [("train", *name) for name in names]
    classes = sorted({name[1] for name in names})
    labels = [classes.index(name[1]) for name in names]
    rows = {half: [i for i, name in enumerate(names) if name[0] == half] for half in ("train", *tests)}
    test_rows = next((rows[half] for half in tests if rows[half]), [])
    if not test_rows:
        shuffled = np.random.default_rng(SEED).permutation(rows["train"])
        test_rows = sorted(shuffled[: max(1, len(shuffled) // 10)].tolist())
    train_rows = sorted(set(rows["train"]) - set(test_rows))
    halves = [Images([files[i] for i in half], [labels[i] for i in half]) for half in (train_rows, test_rows)]
    return halves if DATA_IN_FILES else [half.decoded() for half in halves]
