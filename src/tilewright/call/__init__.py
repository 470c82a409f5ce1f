"""The public calls, and what they share: requests that are checked once, plans, runs, results."""

from . import jax as jax
from . import torch as torch
