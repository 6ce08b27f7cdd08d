"""A LightningModule and a Trainer with its defaults."""

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Perceptron(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))

    def training_step(self, batch, _index):
        pictures, classes = batch
        loss = nn.functional.cross_entropy(self.layers(pictures), classes)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _index):
        pictures, classes = batch
        self.log("val_loss", nn.functional.cross_entropy(self.layers(pictures), classes))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def examples(count):
    return TensorDataset(torch.randn(count, 1, 28, 28), torch.randint(0, 10, (count,)))


trainer = lightning.Trainer(max_epochs=2, accelerator="cpu")
trainer.fit(Perceptron(), DataLoader(examples(1600), batch_size=32, shuffle=True), DataLoader(examples(640), batch_size=64))
