#: head
import json

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

#: settings


#: network


class Exported(nn.Module):
    """Takes and gives float32, whatever the network computes in."""

    def __init__(self, network, dtype):
        super().__init__()
        self.network, self.dtype = network.to(dtype), dtype

    def forward(self, x):
        return self.network(x.to(self.dtype)).float()


def port(name, value):
    """What a package does not say of its inputs and outputs: dimensions that are not fixed are -1."""
    return dict(name=name, element="f32", shape=[size if isinstance(size, int) else -1 for size in value.shape])


def main():
    network = Network().eval()
    network.load_state_dict({name: torch.from_numpy(value) for name, value in np.load(WEIGHTS).items()})
    model = Exported(network, {"bf16": torch.bfloat16, "f16": torch.float16}.get(PRECISION, torch.float32)).to(DEVICE)
    open_batch = {"x": {0: torch.export.Dim("batch", min=1)}}
    with torch.no_grad():
        program = torch.export.export(model, (torch.rand(2, *EXAMPLE, device=DEVICE),), dynamic_shapes=open_batch)
    (x,) = [node for node in program.graph.nodes if node.op == "placeholder" and node.name in program.graph_signature.user_inputs]
    (y,) = [node for node in program.graph.nodes if node.name in program.graph_signature.user_outputs]
    ports = dict(
        inputs=[port(INPUT, x.meta["val"])],
        outputs=[port(OUTPUT, y.meta["val"])],
        precision=PRECISION,
        torch=torch.__version__,
    )
    settings = {"aot_inductor.metadata": {"neph": json.dumps(ports)}, "cpp.dynamic_threads": True}
    torch._inductor.aoti_compile_and_package(program, package_path=PACKAGE, inductor_configs=settings)


if __name__ == "__main__":
    main()
