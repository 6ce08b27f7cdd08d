"""A real MLServer, as tools/counterparts installs it."""

import json
import shutil
from pathlib import Path

from server_process import COUNTERPARTS, MODELS, free_ports, serving

HOME = COUNTERPARTS / "mlserver"


def mlserver(folder, models=MODELS / "mlserver_models"):
    """The server with all models of a folder: `with mlserver(folder) as served: ...`. It works in a copy in `folder`."""
    ports = free_ports(3)
    copy = Path(folder) / "models"
    shutil.copytree(models, copy)
    settings = {
        "host": "127.0.0.1", "http_port": ports[0], "grpc_port": ports[1], "metrics_port": ports[2],
        "debug": False, "parallel_workers": 0, "use_structured_logging": False, "grpc_max_message_length": 100 << 20,
    }
    (copy / "settings.json").write_text(json.dumps(settings))
    return serving([HOME / "bin/mlserver", "start", copy], folder, ports, env={"PYTHONPATH": str(copy)})
