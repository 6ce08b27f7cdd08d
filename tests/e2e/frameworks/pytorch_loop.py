"""The loop of PyTorch's tutorials: two loaders, an optimizer, a checkpoint."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)


def examples(count):
    return TensorDataset(torch.randn(count, 1, 28, 28), torch.randint(0, 10, (count,)))


train = DataLoader(examples(3200), batch_size=64, shuffle=True)
test = DataLoader(examples(1000), batch_size=200)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 13 * 13, 10))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(1, 3):
    model.train()
    for pictures, classes in train:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(pictures), classes)
        loss.backward()
        optimizer.step()
    model.eval()
    right = 0
    with torch.no_grad():
        for pictures, classes in test:
            right += (model(pictures).argmax(1) == classes).sum().item()
    print(f"epoch {epoch}: loss {loss.item():.4f} accuracy {right / 1000:.4f}")
torch.save(model.state_dict(), "model.pt")
