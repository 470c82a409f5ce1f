"""Our products as torch operators, for autograd, torch.compile and torch.vmap."""

from tilewright.call.door import register

from .taking import take

register("torch", take)
