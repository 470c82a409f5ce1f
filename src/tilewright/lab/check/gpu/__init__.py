"""Runs a check's launches on a GPU as well."""
