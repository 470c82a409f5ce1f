"""The public calls, and what they share: arrays in and out, files, errors, the pipeline."""
