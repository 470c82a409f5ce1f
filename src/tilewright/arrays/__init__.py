"""Adapters to array libraries: an array's library, device and layout, its memory and stream, and results."""
