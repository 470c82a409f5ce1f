"""Traces: a kernel's run on the emulator, recorded step by step as data (docs/trace.md)."""
