"""Our products as operators of torch's: what autograd, torch.compile and torch.vmap see of them."""
