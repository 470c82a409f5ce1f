"""What a check found, as text, HTML, JSON, JUnit XML and points."""
