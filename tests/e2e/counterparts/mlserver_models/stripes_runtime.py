"""Says of each of ten upright stripes of a picture how bright it is: the top answer is the brightest."""

from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class Stripes(MLModel):
    async def predict(self, payload):
        pictures = NumpyCodec.decode_input(payload.inputs[0])
        stripes = pictures[..., :60].reshape(len(pictures), 3 * 64, 10, 6)  # 4 columns are left over
        brightness = stripes.mean(axis=(1, 3), dtype="float64").astype("float32")
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("brightness", brightness)])
