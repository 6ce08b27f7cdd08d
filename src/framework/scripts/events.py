def emit(**event):
    """A line for `neph train` (docs/EVENTS.md); nothing happens without it."""
    if "NEPH_EVENTS" in os.environ:
        with open(os.environ["NEPH_EVENTS"], "w") as events:
            events.write(json.dumps(event) + "\n")


@contextlib.contextmanager
def phase(name):
    emit(event="begin", phase=name)
    yield
    emit(event="end", phase=name)
