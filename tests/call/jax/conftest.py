"""What these tests need of JAX before any of them runs."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("jax") else ["test_rules.py"]
"""Files that import JAX as they are read: `make test` has none, and `make test-all` brings it."""
