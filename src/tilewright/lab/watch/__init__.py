"""A trace as a page that plays it: one file, without a network and without a framework."""
