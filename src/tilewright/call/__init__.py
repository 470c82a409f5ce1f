"""The public functions, and their common parts: checked requests, plans, runs, results."""

from . import jax as jax
from . import torch as torch
from .streamed import clusters as clusters
