"""Products over many devices: which layout needs least traffic, and how long a product takes on many nodes."""

from tilewright.choose.many.layout import OTHER, PARTIAL, REPLICATED, Contraction, Placement, contraction
from tilewright.choose.many.sharded import Asked, Move, Pieces, Sharding, choose_sharding

__all__ = [
    "OTHER",
    "PARTIAL",
    "REPLICATED",
    "Asked",
    "Contraction",
    "Move",
    "Pieces",
    "Placement",
    "Sharding",
    "choose_sharding",
    "contraction",
]
