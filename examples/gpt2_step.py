"""A training step of GPT-2 with its linear layers on tilewright, beside the same step with torch's products.

    python examples/gpt2_step.py [--layers 12] [--batch 8] [--tokens 1023] [--graph] [--json FILE]

The vocabulary of 50,257 tokens and sequences of 1,023 (each predicts the next token) are odd numbers: rows that no
16-byte boundary divides. Everything but the products is torch's. Needs an NVIDIA GPU; `--device cpu` only compares.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import torch
from torch import Tensor, nn
from torch.nn import functional

import tilewright

Product = Callable[[Tensor, Tensor, Tensor | None], Tensor]
"""From inputs (rows, features in), weights (features out, features in) and a bias to (rows, features out)."""


def by_torch(inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """What torch's linear layer calls."""
    return functional.linear(inputs, weight, bias)


def by_tilewright(inputs: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """The same; gradients come from tilewright's kernels, too."""
    return tilewright.matmul(inputs, weight.mT, bias=bias)


class Linear(nn.Linear):
    """A linear layer whose product can be exchanged."""

    product: Product = staticmethod(by_torch)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return inputs times the weights, plus the bias."""
        rows = inputs.reshape(-1, self.in_features)
        return Linear.product(rows, self.weight, self.bias).reshape(*inputs.shape[:-1], self.out_features)


class Block(nn.Module):
    """Attention, then two layers with gelu between them."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_layers = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries_keys_values, self.projection = Linear(width, 3 * width), Linear(width, width)
        self.widen, self.narrow = Linear(width, 4 * width), Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return x plus what both parts add."""
        batch, tokens, width = x.shape
        parts = self.queries_keys_values(self.before_attention(x)).reshape(batch, tokens, 3, self.heads, -1)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        x = x + self.projection(mixed.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.narrow(functional.gelu(self.widen(self.before_layers(x)), approximate="tanh"))


class GPT2(nn.Module):
    """GPT-2: embeddings, blocks, and an output layer that is the embedding of tokens, turned round."""

    def __init__(self, layers: int, width: int, heads: int, vocabulary: int, tokens: int) -> None:
        super().__init__()
        self.of_token, self.of_place = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.output = nn.LayerNorm(width), Linear(width, vocabulary, bias=False)
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=0.02)
        self.output.weight = self.of_token.weight

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the mean loss of predicting each token from those before it."""
        given, wanted = tokens[:, :-1], tokens[:, 1:]
        places = torch.arange(given.shape[1], device=given.device)
        x = self.norm(self.blocks(self.of_token(given) + self.of_place(places)))
        return functional.cross_entropy(self.output(x).flatten(0, 1), wanted.flatten())


def step(model: GPT2, tokens: Tensor, optimizer: torch.optim.Optimizer) -> Tensor:
    """Make a training step; return its loss."""
    optimizer.zero_grad(set_to_none=True)
    loss: Tensor = model(tokens)
    loss.backward()
    optimizer.step()
    return loss.detach()


def gradients(model: GPT2, tokens: Tensor) -> Tensor:
    """Return the gradients of all weights, one behind the other, in float32."""
    model.zero_grad(set_to_none=True)
    model(tokens).backward()
    return torch.cat([weight.grad.flatten().float() for weight in model.parameters()])


def captured(model: GPT2, tokens: Tensor, optimizer: torch.optim.Optimizer) -> Callable[[], None]:
    """Return a step as a CUDA graph, which the host only starts; it has been made a few times before."""
    graph, beside = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    beside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(beside):
        for _ in range(3):
            step(model, tokens, optimizer)
    torch.cuda.current_stream().wait_stream(beside)
    with torch.cuda.graph(graph):
        step(model, tokens, optimizer)
    return graph.replay


def main() -> None:
    """Compare gradients, then time steps of both kinds in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("layers", 12), ("width", 768), ("heads", 12), ("vocabulary", 50_257), ("batch", 8)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--tokens", type=int, default=1023, help="that are predicted, in each sequence")
    parser.add_argument("--steps", type=int, default=30, help="of each kind, that are timed")
    parser.add_argument("--graph", action="store_true", help="replay steps as CUDA graphs, which the host only starts")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--json", type=Path, help="write the times to this file")
    asked = parser.parse_args()

    torch.manual_seed(1)
    on_gpu = asked.device == "cuda"
    model = GPT2(asked.layers, asked.width, asked.heads, asked.vocabulary, asked.tokens)
    model = model.to(device=asked.device, dtype=torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=on_gpu, capturable=asked.graph)
    tokens = torch.randint(asked.vocabulary, (asked.batch, asked.tokens + 1), device=asked.device)
    kinds: dict[str, Product] = {"torch": by_torch, "tilewright": by_tilewright}

    found: dict[str, Tensor] = {}
    steps: dict[str, Callable[[], object]] = {}
    for name, product in kinds.items():
        Linear.product = staticmethod(product)
        found[name] = gradients(model, tokens)
    apart = float((found["torch"] - found["tilewright"]).norm() / found["torch"].norm())
    print(f"the gradients differ by {100 * apart:.2g} % of their norm")
    found.clear()
    for name, product in kinds.items():
        Linear.product = staticmethod(product)
        steps[name] = captured(model, tokens, optimizer) if asked.graph else partial(step, model, tokens, optimizer)

    milliseconds: dict[str, list[float]] = {name: [] for name in kinds}
    for turn in range(asked.steps):
        for name in list(kinds)[:: 1 if turn % 2 else -1]:
            Linear.product = staticmethod(kinds[name])
            if on_gpu:
                torch.cuda.synchronize()
            start = time.perf_counter()
            steps[name]()
            if on_gpu:
                torch.cuda.synchronize()
            milliseconds[name].append(1e3 * (time.perf_counter() - start))
    medians = {name: round(median(times), 2) for name, times in milliseconds.items()}
    by_torch_ms, ours_ms = medians["torch"], medians["tilewright"]
    ratio = by_torch_ms / ours_ms
    print(f"a step: {by_torch_ms} ms by torch, {ours_ms} ms by tilewright, {ratio:.2f} times as fast")
    if asked.json:
        told = {"ms": medians, "ratio": round(ratio, 4), "gradients_apart": apart, "torch": torch.__version__}
        asked.json.write_text(json.dumps(told | {"all_ms": milliseconds}), encoding="utf-8")


if __name__ == "__main__":
    main()
