"""PTX instruction edge cases: what is run, on which operands, and what an H100 answered (`expected.json`)."""
