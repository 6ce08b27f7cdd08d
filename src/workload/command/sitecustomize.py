"""What `neph train -- COMMAND` puts before a Python command: it tells of steps, epochs and checkpoints.

Python imports a module of this name when it starts. It changes nothing that a script computes: frameworks get their
own hooks, or wrapped functions, once the script imports them; what is told goes to the pipe that $NEPH_EVENTS names
(docs/EVENTS.md). A step costs the reading of a clock and an append; steps are written every second and at the end, and
counted for the loop that they were in when another loop begins.
Whatever fails in here is passed over: a script must never fail because it is measured.
"""

import sys


def _install():
    import atexit
    import os
    from importlib.machinery import PathFinder
    from time import monotonic

    name = os.environ.get("NEPH_EVENTS")
    if not name:
        return
    interval_s = 1.0
    most_in_line = 200  # times of 20 bytes: a line stays below the 4096 bytes that a pipe takes whole
    state = {"pipe": None, "streams": [], "pid": os.getpid(), "loop": None, "sent": 0, "counted": 0, "last_step_s": 0.0}
    due = monotonic() + interval_s

    at_end = [lambda: flush()]

    # -- telling

    def write(text):
        pipe = state["pipe"]
        if pipe == -1:
            return
        try:
            if pipe is None:  # without a reader it cannot be opened, and nothing is told
                pipe = state["pipe"] = os.open(name, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
                os.set_blocking(pipe, True)
            os.write(pipe, text.encode())
        except OSError:
            state["pipe"] = -1

    def tell(source, event, **fields):
        words = "".join(f',"{key}":{value}' for key, value in fields.items() if value is not None)
        write(f'{{"event":"{event}","from":"{source}","pid":{state["pid"]}{words}}}\n')

    def flush(now=None):
        nonlocal due
        due = (monotonic() if now is None else now) + interval_s
        for source, number, times in state["streams"]:
            if times:
                state["last_step_s"] = max(state["last_step_s"], times[-1])
            while times:
                some = times[:most_in_line]
                del times[: len(some)]
                state["sent"] += len(some)
                tell(source, "steps", stream=number, at_s="[" + ("%.6f," * len(some))[:-1] % tuple(some) + "]")

    def after_step(stepper, source):
        now = monotonic()
        try:
            stepper.__dict__["_neph_times"].append(now)
        except KeyError:
            stepper.__dict__["_neph_times"] = stream(source, [now])
        if now >= due:
            flush(now)

    def steps_taken():
        return state["sent"] + sum(len(times) for _, _, times in state["streams"])

    def see_learnt(loop):
        """Batches that were drawn before the last step were learnt from in it, however many optimizers took one."""
        if (steps := steps_taken()) != loop["seen"]:
            loop.update(seen=steps, learnt=loop["drawn"])

    def count_steps():
        """Those since it was asked last are the current loop's."""
        loop = state["loop"]
        steps = steps_taken()
        if loop is not None and steps > state["counted"]:
            see_learnt(loop)
            loop["last_step_s"] = max([state["last_step_s"], *(times[-1] for _, _, times in state["streams"] if times)])
        state["counted"] = steps

    def stream(source, times):
        """Of the moments of what steps by itself: an optimizer, a model."""
        state["streams"].append((source, len(state["streams"]), times))
        return times

    def span(source, phase, begin_s, end_s, **fields):
        tell(source, "span", phase=f'"{phase}"', begin_s=f"{begin_s:.6f}", end_s=f"{end_s:.6f}", **fields)

    def value(source, key, number):
        try:
            number = float(number)
        except (TypeError, ValueError):
            return
        text = f"{number:.9g}" if number == number and abs(number) != float("inf") else '"nan"'
        tell(source, "value", name=f'"{key}"', value=text)

    def in_child():
        for _, _, times in state["streams"]:
            times.clear()  # they are the parent's to tell
        state["loop"] = None
        state["sent"] = state["counted"] = 0
        state["pid"] = os.getpid()

    def size_of(file):
        try:
            return os.path.getsize(file)
        except (OSError, TypeError, ValueError):
            return None

    def saving(source, original, where):
        """`original`, which writes a file, told as a phase; `where`: the place and the name of the file's argument."""
        position, keyword = where

        def save(*arguments, **named):
            begin_s = monotonic()
            outcome = original(*arguments, **named)
            file = arguments[position] if len(arguments) > position else named.get(keyword)
            span(source, "save", begin_s, monotonic(), bytes=size_of(file))
            return outcome

        return like(original, save)

    def like(original, wrapper):
        for attribute in ("__name__", "__qualname__", "__doc__", "__module__", "__signature__", "__annotations__"):
            if hasattr(original, attribute):
                setattr(wrapper, attribute, getattr(original, attribute))
        wrapper.__wrapped__ = original
        return wrapper

    # -- PyTorch, and what is built on it

    def of_torch_optimizer(module):
        module.register_optimizer_step_post_hook(lambda optimizer, _arguments, _named: after_step(optimizer, "torch"))
        tell("torch", "hello")

    def of_torch_save(module):
        module.save = saving("torch", module.save, (1, "f"))

    def of_torch_loader(module):
        """Loops over data, each from the making of its iterator. One that steps is an epoch: it ends with its last step."""

        loops = []

        def number(measure):
            try:
                return int(measure())
            except Exception:  # a length that is not known
                return None

        def samples_of(loop, batches):
            if loop["samples"] and loop["batches"] == batches:
                return loop["samples"]
            return loop["batch_size"] and loop["batch_size"] * batches

        def tell_of(loop):
            """Once, when nothing more can step in it."""
            if loop["told"] or loop["pid"] != state["pid"]:
                return
            count_steps()
            loop["told"] = True
            loops[:] = [each for each in loops if each is not loop]
            told = {"drawn": loop["drawn"], "batches": loop["batches"]}
            if loop["last_step_s"]:
                flush()
                span("torch", "epoch", loop["begin_s"], loop["last_step_s"], samples=samples_of(loop, loop["learnt"]), **told)
            elif loop["drawn"] and not loop["learnt"]:  # else a second one, side by side with the one that has the steps
                span("torch", "loop", loop["begin_s"], loop["end_s"], **told)

        def ended(iterator):
            """It gives no more; its last batch may still be learnt from."""
            loop = iterator.__dict__.pop("_neph_loop", None)
            if loop is not None:
                loop["end_s"] = monotonic()
            return loop

        def began(loader, begin_s):
            return {
                "begin_s": begin_s,
                "end_s": None,
                "drawn": 0,
                "learnt": 0,  # batches
                "seen": steps_taken(),
                "last_step_s": None,
                "told": False,
                "pid": state["pid"],
                "batches": number(lambda: len(loader)),
                "batch_size": number(lambda: loader.batch_size),
                "samples": None if loader.drop_last else number(lambda: len(loader.sampler)),
            }

        def last():
            for loop in list(loops):
                loop["end_s"] = loop["end_s"] or monotonic()
                tell_of(loop)

        at_end.append(last)
        original_iter = module.DataLoader.__iter__
        original_next = module._BaseDataLoaderIter.__next__
        current = None  # the number of the iterator that was drawn from last; kept alive, it would be no end

        def __iter__(self):
            nonlocal current
            begin_s = monotonic()
            current = None  # a new iterator may have the number of one that is gone
            kept = getattr(self, "_iterator", None)  # of persistent workers: one iterator for all loops
            if kept is not None and (loop := ended(kept)) is not None:
                tell_of(loop)
            iterator = original_iter(self)
            try:
                iterator._neph_loop = began(self, begin_s)
                loops.append(iterator._neph_loop)
            except Exception:  # an iterator of somebody else's
                pass
            return iterator

        def __next__(self):
            loop = self.__dict__.get("_neph_loop")
            if loop is not None:
                see_learnt(loop)
            try:
                batch = original_next(self)
            except StopIteration:
                ended(self)
                raise
            if loop is not None:
                loop["drawn"] = self._num_yielded
            if id(self) != current:
                turn_to(self)
            return batch

        def turn_to(iterator):
            nonlocal current
            current = id(iterator)
            loop = iterator.__dict__.get("_neph_loop")
            before = state["loop"]
            if before is not loop:
                count_steps()
                state["loop"] = loop
                if before is not None and before["end_s"] is not None:
                    tell_of(before)

        module.DataLoader.__iter__ = like(original_iter, __iter__)
        module._BaseDataLoaderIter.__next__ = like(original_next, __next__)
        for kind in (module._SingleProcessDataLoaderIter, module._MultiProcessingDataLoaderIter):
            original_del = getattr(kind, "__del__", None)

            def __del__(self, original_del=original_del):  # a loop that is left early
                try:
                    loop = ended(self)
                    if loop is not None and state["loop"] is not loop:
                        tell_of(loop)
                except Exception:  # at the interpreter's end all may be gone
                    pass
                if original_del is not None:
                    original_del(self)

            kind.__del__ = __del__

    def of_safetensors(module):
        module.save_file = saving("torch", module.save_file, (1, "filename"))

    # -- Keras 3, on any backend

    def of_keras_callbacks(module):
        kind = module.CallbackList
        begun = {}

        def before(method, see):
            original = getattr(kind, method)

            def hooked(self, *arguments, **named):
                see(self, *arguments, **named)
                return original(self, *arguments, **named)

            setattr(kind, method, like(original, hooked))

        def begins(phase):
            return lambda *_arguments, **_named: begun.__setitem__(phase, monotonic())

        def ends(phase):
            begin_s = begun.pop(phase, None)
            if begin_s is not None:
                flush()
                span("keras", phase, begin_s, monotonic())

        def values(samples, logs, prefix=""):
            for name in ("loss", "accuracy"):
                if logs and prefix + name in logs:
                    value("keras", f"{samples}_{name}", logs[prefix + name])

        def epoch_ended(_self, _epoch=None, logs=None, **_named):
            ends("epoch")
            values("train", logs)
            values("test", logs, "val_")  # until evaluate() is called

        def test_ended(self, logs=None, **_named):
            ends("verify")
            if "_neph_fits" not in self.__dict__:
                values("test", logs)

        before("on_epoch_begin", begins("epoch"))
        before("on_epoch_end", epoch_ended)
        before("on_train_batch_end", lambda self, *_arguments, **_named: after_step(self, "keras"))
        before("on_test_begin", begins("verify"))
        before("on_test_end", test_ended)
        before("on_train_begin", lambda self, *_arguments, **_named: self.__dict__.update(_neph_fits=True))
        tell("keras", "hello")

    def of_keras_saving(module):
        module.save_model = saving("keras", module.save_model, (1, "filepath"))

    hooks = {
        "torch.optim.optimizer": of_torch_optimizer,
        "torch.serialization": of_torch_save,
        "torch.utils.data.dataloader": of_torch_loader,
        "safetensors.torch": of_safetensors,
        "keras.src.callbacks.callback_list": of_keras_callbacks,
        "keras.src.saving.saving_api": of_keras_saving,
    }

    class Finder:
        """Finds nothing by itself; what is to be hooked is hooked once it has been imported."""

        @staticmethod
        def find_spec(module_name, path=None, target=None):
            hook = hooks.get(module_name)
            if hook is None:
                return None
            spec = PathFinder.find_spec(module_name, path, target)
            execute = getattr(getattr(spec, "loader", None), "exec_module", None)
            if execute is None:
                return None

            def exec_module(module):
                execute(module)
                try:
                    hook(module)
                except Exception as error:  # another version of the framework
                    print(f"neph: {module_name} cannot be hooked: {error!r}", file=sys.stderr)

            spec.loader.exec_module = exec_module
            return spec

    sys.meta_path.insert(0, Finder)

    # -- the end, in its many forms

    def end():
        for each in at_end:
            each()
        if hasattr(sys, "last_value"):  # nothing caught it: what it is stands in the output
            tell("exception", "hello")

    original_exit = os._exit

    def _exit(status):  # of children of multiprocessing, which run no atexit
        end()
        original_exit(status)

    os._exit = like(original_exit, _exit)
    os.register_at_fork(after_in_child=in_child)
    atexit.register(end)

    # A pipe is written in blocks, a terminal by lines: whoever watches wants lines, when they happen.
    for output in (sys.stdout, sys.stderr):
        if output is not None and not output.isatty():
            output.reconfigure(line_buffering=True)
    tell("python", "hello")


def _chain():
    """The sitecustomize that would have been imported without this one."""
    import os
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != own]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


try:
    _install()
except Exception as error:
    print(f"neph: Python's hooks are not in place: {error!r}", file=sys.stderr)
_chain()
