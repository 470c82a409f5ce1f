"""Our products as operators of torch's: what autograd, torch.compile and torch.vmap see of them."""

from tilewright.call.door import register

from .taking import take

register("torch", take)
