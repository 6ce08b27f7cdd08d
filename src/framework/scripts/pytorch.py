#: head
#: imports

import numpy as np
import torch
import torch.nn.functional as F
#: image imports
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset

#: settings


#: network


#: data


class Order(Sampler):
    """Shuffles by seed and epoch alone, so that every framework learns in the same order; each process has its part."""

    def __init__(self, size, rank, ranks):
        self.size, self.rank, self.ranks, self.epoch = size, rank, ranks, 0

    def __len__(self):
        return math.ceil(self.size / self.ranks)

    def __iter__(self):
        self.epoch += 1
        order = np.random.default_rng([SEED, self.epoch]).permutation(self.size)
        return iter(np.resize(order, len(self) * self.ranks)[self.rank :: self.ranks].tolist())


#: events


def on_device(inputs, labels):
    inputs = inputs.to(DEVICE, non_blocking=True)
    if inputs.dtype == torch.uint8:
        inputs = inputs.float() / 255
    if CHANNELS_LAST and inputs.dim() == 4:
        inputs = inputs.contiguous(memory_format=torch.channels_last)
    return inputs, labels.to(DEVICE, non_blocking=True)


def loss_of(outputs, labels):
    if LOSS == "cross-entropy":
        return F.cross_entropy(outputs, labels)
    steps, batch = outputs.shape[:2]  # of ctc: all sequences are as long as each other
    lengths = torch.full((batch,), steps), torch.full((batch,), labels.shape[1])
    return F.ctc_loss(outputs.float().log_softmax(2), labels, *lengths)


def autocast():
    dtype = {"bf16": torch.bfloat16, "f16": torch.float16}.get(PRECISION)
    return torch.autocast(torch.device(DEVICE).type, dtype, enabled=dtype is not None)


def optimizer_of(model):
    if OPTIMIZER == "sgd":
        return torch.optim.SGD(model.parameters(), LEARNING_RATE, MOMENTUM, weight_decay=WEIGHT_DECAY, fused=FUSED)
    return torch.optim.AdamW(model.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY, fused=FUSED)


def train(model, loader, optimizer, scaler, most_steps):
    """One epoch, or its first steps. Returns the mean loss and the number of steps."""
    model.train()
    total, steps = 0, 0
    for inputs, labels in loader:
        inputs, labels = on_device(inputs, labels)
        optimizer.zero_grad()
        with autocast():
            loss = loss_of(model(inputs), labels)
        scaler.scale(loss).backward()
        if DEVICE != "cpu" and STEPS and most_steps - steps - 1 in (STEPS - WARMUP, 0):
            torch.cuda.synchronize()  # the time of the steps between is the GPU's, not that of launching
        scaler.step(optimizer)
        scaler.update()
        total, steps = total + loss.detach(), steps + 1
        if LOG_EVERY and steps % LOG_EVERY == 0:
            print(f"step {steps}: loss {loss.item():.6f}")
        if steps == most_steps:
            break
    return float(total) / steps, steps


@torch.no_grad()
def evaluate(model, loader, most_batches):
    """Mean loss over the test data, and the share of examples with the right class."""
    model.eval()
    total, right, seen = 0, 0, 0
    for batch, (inputs, labels) in enumerate(loader, 1):
        inputs, labels = on_device(inputs, labels)
        with autocast():
            outputs = model(inputs).float()
        total += loss_of(outputs, labels) * len(labels)
        if LOSS == "cross-entropy":
            right += (outputs.argmax(1) == labels).sum()
        seen += len(labels)
        if batch == most_batches:
            break
    return float(total) / seen, float(right) / seen


def main():
    rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    torch.manual_seed(SEED)
    if ranks > 1:
        if DEVICE != "cpu":
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        torch.distributed.init_process_group("gloo" if DEVICE == "cpu" else "nccl")
    with phase("data_load"):
        halves = load_data()
        highest = max(int(np.max(half.labels if hasattr(half, "files") else half[1])) for half in halves)
        if highest >= CLASSES:
            raise ValueError(f"{DATA} has a class {highest}, and the network {CLASSES} outputs")
        data = [half if hasattr(half, "files") else TensorDataset(*map(torch.tensor, half)) for half in halves]
    emit(event="value", name="train_samples", value=len(data[0]))
    emit(event="value", name="test_samples", value=len(data[1]))
    options = dict(num_workers=LOADERS, pin_memory=DEVICE != "cpu", persistent_workers=LOADERS > 0)
    train_loader = DataLoader(data[0], BATCH // ranks, sampler=Order(len(data[0]), rank, ranks), **options)
    test_loader = DataLoader(data[1], BATCH, **options)

    model = Network()
    model.load_state_dict({name: torch.from_numpy(value) for name, value in np.load(WEIGHTS).items()})
    model.to(DEVICE, memory_format=torch.channels_last if CHANNELS_LAST else torch.preserve_format)
    if COMPILE:
        model.compile()
    learner = nn.parallel.DistributedDataParallel(model) if ranks > 1 else model
    optimizer = optimizer_of(model)
    scaler = torch.amp.GradScaler(torch.device(DEVICE).type, enabled=PRECISION == "f16")

    steps_left = STEPS
    for epoch in range(1, EPOCHS + 1):
        train_loss, steps = train(learner, train_loader, optimizer, scaler, steps_left)
        steps_left -= steps
        is_last = epoch == EPOCHS or (STEPS > 0 and steps_left == 0)
        if rank == 0 and (is_last or STEPS == 0):
            for _ in range(2 if STEPS else 1):  # the first pass over the test data takes longer than those that follow
                with phase("verify"):
                    test_loss, accuracy = evaluate(model, test_loader, TEST_BATCHES)
            values = dict(train_loss=train_loss, test_loss=test_loss)
            if LOSS == "cross-entropy":
                values["test_accuracy"] = accuracy
            print(f"epoch {epoch}:", *(f"{name} {value:.4f}" for name, value in values.items()))
            for name, value in values.items():
                emit(event="value", name=name, value=value if math.isfinite(value) else "nan")
        if is_last:
            break
    if rank == 0:
        torch.save(model.state_dict(), SAVE)


if __name__ == "__main__":
    main()
