"""A real tritonserver, with the Python backend, as tools/counterparts installs it."""

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path

from paths import COUNTERPARTS
from server_process import free_ports, serving

HOME = COUNTERPARTS / "triton"
MODELS = Path(__file__).resolve().parent / "triton_models"


@contextmanager
def triton_server(folder, models=MODELS):
    """The server with all models of a repository: `with triton_server(folder) as served: ...`. It keeps its log in `folder`.
    Its Python backend waits for its own children by the clock: on a busy machine it may need a second try."""
    with ExitStack() as running:
        try:
            served = running.enter_context(_start(folder, models))
        except RuntimeError:
            served = running.enter_context(_start(folder, models))
        yield served


def _start(folder, models):
    ports = free_ports(3)
    server = (HOME / "server").resolve()
    command = [
        server / "bin/tritonserver", f"--model-repository={models}", f"--backend-directory={server}/backends",
        "--http-address=127.0.0.1", "--grpc-address=127.0.0.1", "--metrics-address=127.0.0.1",
        f"--http-port={ports[0]}", f"--grpc-port={ports[1]}", f"--metrics-port={ports[2]}",
        "--allow-gpu-metrics=false", "--model-control-mode=explicit", "--load-model=*",
        "--backend-config=python,stub-timeout-seconds=120",
    ]
    env = {  # the Python backend's stub finds its packages by them
        "PATH": f"{HOME}/bin:{os.environ['PATH']}", "VIRTUAL_ENV": str(HOME), "PYTHONDONTWRITEBYTECODE": "1",
    }
    return serving(command, folder, ports, env=env)
