"""A Trainer with a small random model, verified after each epoch."""

import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class RandomWords(Dataset):
    def __init__(self, count):
        self.words = torch.randint(0, 100, (count, 16))
        self.labels = torch.randint(0, 2, (count,))

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return {"input_ids": self.words[index], "labels": self.labels[index]}


sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
model = BertForSequenceClassification(BertConfig(vocab_size=100, **sizes))
arguments = TrainingArguments(
    output_dir="trainer", num_train_epochs=2, per_device_train_batch_size=16, eval_strategy="epoch", logging_steps=50,
    use_cpu=True, report_to=[],
)
trainer = Trainer(model=model, args=arguments, train_dataset=RandomWords(800), eval_dataset=RandomWords(160))
trainer.train()
