def load_data():
    """CIFAR-10's binary batches, in a folder or an archive: of each image its class, then its planes of colours."""

    def read(names):
        if Path(DATA).is_dir():
            content = b"".join((Path(DATA) / name).read_bytes() for name in names)
        else:
            with tarfile.open(DATA) as archive:
                members = {Path(member.name).name: member for member in archive}
                content = b"".join(archive.extractfile(members[name]).read() for name in names)
        rows = np.frombuffer(content, np.uint8).reshape(-1, 1 + 3 * 32 * 32)
        return rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0].astype(np.int64)

    return read([f"data_batch_{i}.bin" for i in range(1, 6)]), read(["test_batch.bin"])
