"""What a kernel did, step by step: recorded while it really ran on the emulator, as data (docs/trace.md)."""
