"""A real MLServer, as tools/counterparts installs it."""

import json
import shutil
from pathlib import Path

from paths import COUNTERPARTS
from server_process import free_ports, serving

HOME = COUNTERPARTS / "mlserver"
MODELS = Path(__file__).resolve().parent / "mlserver_models"


def mlserver_server(folder, models=MODELS):
    """The server with all models of a folder: `with mlserver_server(folder) as served: ...`. It works in a copy in `folder`."""
    ports = free_ports(3)
    copy = Path(folder) / "models"
    shutil.copytree(models, copy)
    settings = {
        "host": "127.0.0.1", "http_port": ports[0], "grpc_port": ports[1], "metrics_port": ports[2],
        "debug": False, "parallel_workers": 0, "use_structured_logging": False, "grpc_max_message_length": 100 << 20,
    }
    (copy / "settings.json").write_text(json.dumps(settings))
    return serving([HOME / "bin/mlserver", "start", copy], folder, ports, env={"PYTHONPATH": str(copy)})
