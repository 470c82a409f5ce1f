"""Which small changes of the host's code are tried where a launch is wrong, and which lines are left alone."""

from __future__ import annotations

import pytest

from tilewright.lab.check.find.own_launch import own_launch
from tilewright.lab.check.judge.launch_causes import _by_other_sides, _host_changes, _sides_exchanged
from tilewright.lab.source import device_part
from tilewright.lab.source.changes import edited

KERNEL = "__global__ void k(float *c, int n, int m) {}\n"


def tried(body):
    """The bodies of `main` that are tried in its place, each with the line and the words that name the change."""
    text = f"{KERNEL}int main() {{ {body} }}\n"
    (site,) = device_part(text).launches
    before = text.index(body)
    return {
        edited(text, edits)[before:].removesuffix(" }\n"): (line, says) for edits, line, says in _host_changes(site)
    }


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("k<<<n / 16, 16>>>(c, n, m);", "k<<<((n) + (16) - 1) / (16), 16>>>(c, n, m);"),
        (
            "dim3 grid(n / 16, m / 8); k<<<grid, 32>>>(c, n, m);",
            "dim3 grid(((n) + (16) - 1) / (16), ((m) + (8) - 1) / (8)); k<<<grid, 32>>>(c, n, m);",
        ),
        ("dim3 block(8, 16); k<<<n, block>>>(c, n, m);", "dim3 block(16, 8); k<<<n, block>>>(c, n, m);"),
        ("dim3 grid(n, m); k<<<grid, 8>>>(c, n, m);", "dim3 grid(m, n); k<<<grid, 8>>>(c, n, m);"),
        ("dim3 block{W, H, 2}; k<<<n, block>>>(c, n, m);", "dim3 block{H, W, 2}; k<<<n, block>>>(c, n, m);"),
        (
            "dim3 grid(n / 8, m / 8, 2); k<<<grid, 8>>>(c, n, m);",
            "dim3 grid(m / 8, n / 8, 2); k<<<grid, 8>>>(c, n, m);",
        ),
        ("dim3 grid(n / 8, m / 4); k<<<grid, 8>>>(c, n, m);", "dim3 grid(m / 8, n / 4); k<<<grid, 8>>>(c, n, m);"),
        ("k<<<n, m>>>(c, n, m);", "k<<<m, m>>>(c, n, m);"),
        ("k<<<n / 16 - 1, 16>>>(c, n, m);", "k<<<(n / 16), 16>>>(c, n, m);"),
        ("k<<<n / 16, 16>>>(c, n, m);", "k<<<(n / 16 + 1), 16>>>(c, n, m);"),
        ("k<<<n, 31>>>(c, n, m);", "k<<<n, 32>>>(c, n, m);"),
        ("k<<<n, 128>>>(c, n, m);", "k<<<n, 256>>>(c, n, m);"),
        ("k<<<n, 512>>>(c, n, m);", "k<<<n, 256>>>(c, n, m);"),
        ("k<<<n, 64>>>(c, n, m);", "k<<<n, 256>>>(c, n, m);"),
        ("k<<<n, 100>>>(c, n, m);", "k<<<n, 128>>>(c, n, m);"),
        ("int threads = 31; k<<<n, threads>>>(c, n, m);", "int threads = 32; k<<<n, threads>>>(c, n, m);"),
        (
            "int rows = T; k<<<(n + rows - 1) / rows, T>>>(c, n, m);",
            "int rows = (T) / 32; k<<<(n + rows - 1) / rows, T>>>(c, n, m);",
        ),
        ("int rows = 31; k<<<n, 8>>>(c, n, rows);", "int rows = 32; k<<<n, 8>>>(c, n, rows);"),
    ],
)
def test_one_change_makes_the_launch_right(given, meant):
    """Quotients rounded up, alone and together; sides or names exchanged; one more or less, halves and doubles."""
    found = tried(given)

    assert meant in found
    assert found[meant][0] == 2


def test_a_change_is_said_as_it_is_made():
    """Both texts, and what becomes of several at once."""
    found = tried("dim3 grid(n / 16, m / 8); k<<<grid, 32>>>(c, n, m);")

    said = {says for _, says in found.values()}
    assert "with `((n) + (16) - 1) / (16)` in place of `n / 16`" in said
    assert "with `64` in place of `32`" in said
    assert "with the quotients of the launch rounded up" in said


def test_quotients_of_several_lines():
    """Are rounded up together, too, and the first of them is named."""
    line = (2, "with the quotients of lines 2, 3 rounded up")

    assert line in tried("int across = n / 16;\nint down = m / 8; k<<<dim3(across, down), 32>>>(c, n, m);").values()


def test_a_quotient_by_the_other_side():
    """Of a block or a tile, wherever the side stands in it."""
    grid = "dim3 block(W, H), grid((n + W - 1) / W, (m + W - 1) / W);"
    text = (
        f"{KERNEL}void run(float *c, int n, int m) {{ const int W = 32, H = 8; {grid} k<<<grid, block>>>(c, n, m); }}\n"
    )
    (site,) = device_part(text).launches
    rule = own_launch(site, text, ("n", "m"), ("W", "H"))
    assert rule is not None
    said = [says for _, _, says in _by_other_sides(rule)]
    assert "with `(m + H - 1) / H` in place of `(m + W - 1) / W`" in said


@pytest.mark.parametrize(
    "launch",
    [
        "dim3 block(H, W); k<<<n, block>>>(c, n, m);",
        "auto block = dim3(H, W); k<<<n, block>>>(c, n, m);",
        "k<<<n, dim3(H, W)>>>(c, n, m);",
    ],
)
def test_the_sides_of_a_block_before_other_changes(launch):
    """Names alone in brackets are no types of parameters; a grid of names is left for later."""
    text = f"{KERNEL}int main() {{ dim3 grid(n, m); {launch} }}\n"
    (site,) = device_part(text).launches
    changed = [edited(text, edits) for edits, _, _ in _sides_exchanged(site)]
    assert set(changed) == {text.replace("(H, W)", "(W, H)")}


def test_sides_that_are_set_one_by_one():
    """Are exchanged, too: those of the grid here."""
    body = "dim3 grid;\ngrid.x = m / 8;\ngrid.y = n / 4; k<<<grid, 32>>>(c, n, m);"
    text = f"{KERNEL}int main() {{ {body} }}\n"
    (site,) = device_part(text).launches
    ((edits, line, _),) = _sides_exchanged(site)
    assert "grid.x = n / 4;\ngrid.y = m / 8;" in edited(text, edits)
    assert line == 3


def test_lines_that_say_nothing_of_the_launch_stay():
    """A loop that prints, another function's numbers, what follows the launch."""
    launch = "k<<<n / 8, 32>>>(c, n, m);"
    for other in ("if (n > 7) return 9;", "for (; n > 77;) show(5 + 6);", "int seed = 5 + 6;"):
        changed = tried(f"{other} {launch}")
        assert changed
        assert all(body.startswith(other) for body in changed)
    assert all(body.endswith("show(5 + 6);") for body in tried(f"{launch} show(5 + 6);"))


def test_which_names_stand_for_sizes():
    """One that is passed, too, may be meant for any other that is; one that is not, for those of the launch alone."""
    found = tried("k<<<n / 8, q * 2>>>(c, n, m);")

    for name in ("m", "c", "q"):
        assert f"k<<<{name} / 8, q * 2>>>(c, n, m);" in found
    assert "k<<<n / 8, n * 2>>>(c, n, m);" in found
    assert "k<<<n / 8, m * 2>>>(c, n, m);" not in found
    assert not any("m, m" in body or "n, n" in body for body in found)
