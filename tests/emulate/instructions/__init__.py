"""PTX instruction edge cases: what is run, on which operands, and what an H200 answered (`expected.json`)."""
