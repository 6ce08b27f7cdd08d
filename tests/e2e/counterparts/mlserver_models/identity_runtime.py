"""Answers with its input after the time that the model's setting service_ms gives."""

import asyncio

from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class Identity(MLModel):
    async def load(self):
        self.service_s = (self.settings.parameters.extra or {}).get("service_ms", 0) / 1e3
        return True

    async def predict(self, payload):
        if self.service_s:
            await asyncio.sleep(self.service_s)
        x = NumpyCodec.decode_input(payload.inputs[0])
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("y", x)])
