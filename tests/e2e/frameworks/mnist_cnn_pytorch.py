"""The small network of the MNIST example, written for PyTorch; its tensors have the names that neph's have.

mnist_cnn_pytorch.py learn SEED EPOCHS START.npz   learns Fashion-MNIST from these weights; prints the test accuracy
mnist_cnn_pytorch.py load FILE.safetensors         loads a checkpoint; prints the test accuracy
"""

import sys

import numpy as np
import torch
from fashion_mnist import read
from torch import nn
from torch.nn import functional as F


class MnistCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.dense1 = nn.Linear(9216, 128)
        self.dense2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2)
        x = F.dropout(x, 0.25, self.training).flatten(1)
        x = F.dropout(F.relu(self.dense1(x)), 0.5, self.training)
        return self.dense2(x)


def tensors(part):
    pictures, classes = read(part)
    return torch.tensor(pictures).float().unsqueeze(1) / 255, torch.tensor(classes).long()


def learn(model, epochs):
    pictures, classes = tensors("train")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(pictures)).split(128):
            optimizer.zero_grad()
            F.cross_entropy(model(pictures[batch]), classes[batch]).backward()
            optimizer.step()


def accuracy(model):
    pictures, classes = tensors("t10k")
    model.eval()
    with torch.no_grad():
        right = sum(int((model(x).argmax(1) == y).sum()) for x, y in zip(pictures.split(500), classes.split(500)))
    return right / len(classes)


if __name__ == "__main__":
    if sys.argv[1] == "learn":
        torch.manual_seed(int(sys.argv[2]))
        model = MnistCnn()
        model.load_state_dict({name: torch.tensor(value) for name, value in np.load(sys.argv[4]).items()})
        learn(model, int(sys.argv[3]))
    else:
        from safetensors.torch import load_file

        model = MnistCnn()
        model.load_state_dict(load_file(sys.argv[2]), strict=True)
    print(accuracy(model))
