"""The tables of the documents: which columns stand to the right."""

from benchmarks.tables.markdown import markdown


def test_numbers_stand_to_the_right():
    """With a unit, a spread or bold; sizes of products and words do not."""
    lines = [
        ["naive", "1,024", "1.12 ms (1.12 to 1.13)", "**5.02**", "4 x 4", ""],
        ["tiled", "-", "not run", "0.86", "8 x 8", "+0.5%"],
    ]

    rules = markdown(["kernel", "n", "time", "ratio", "block", "error"], lines).splitlines()[1]

    assert rules == "| --- | ---: | ---: | ---: | --- | ---: |"
