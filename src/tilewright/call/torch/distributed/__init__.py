"""Products of DTensors: our operators know where the arrays of a mesh are, and bring them together with least traffic.

Importing this imports torch.distributed.tensor and registers the operators' rules for DTensors.
"""

from .rule import register_rules

register_rules()
