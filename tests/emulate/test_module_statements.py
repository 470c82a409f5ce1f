"""Statements of a PTX module outside of its functions: variables are kept, the others say nothing of a launch."""

from __future__ import annotations

import pytest

from tilewright.emulate.ptx.parser import parse

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


@pytest.mark.parametrize("statement", ['.pragma "nounroll";', ".alias f, g;", ";"])
def test_what_is_passed_over(statement):
    """Directives, aliases, and nothing before a semicolon."""
    module = parse(f"{HEADER}{statement}\n.global .align 4 .u32 count;\n")
    assert [variable.name for variable in module.variables] == ["count"]
