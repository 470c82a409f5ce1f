"""How fast a product is on this GPU, beside torch's."""
