"""A check's results as text, HTML, JSON, JUnit XML and points."""
