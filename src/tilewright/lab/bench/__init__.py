"""How fast a product is on this GPU, beside what torch makes of it."""
