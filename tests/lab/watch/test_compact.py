"""What pages leave out of scripts and style sheets, and what they must not."""

from __future__ import annotations

import pytest

from tilewright.lab.watch.compact import compact_script, compact_style


@pytest.mark.parametrize(
    ("script", "compact"),
    [
        ("// A remark.\n  const a = b + 1;\n", "const a=b+1;"),
        ("a = b + +c - -d;", "a=b+ +c- -d;"),
        ("return a in b ? [1, 2] : { c };", "return a in b?[1,2]:{c};"),
        ("say(\"a , b\", 'c = d');", "say(\"a , b\",'c = d');"),
        ("x = `a , ${ f(`b , ${c}`, { d }) } , e` + 1;", "x=`a , ${ f(`b , ${c}`, { d }) } , e`+1;"),
        ("t.replace(/ , [/ ]/g, 1) / 2;", "t.replace(/ , [/ ]/g,1)/2;"),
        ("a\n(b)", "a\n(b)"),
        ("if (a) {\nb();\n}\nc([\n1,\n2\n]);", "if(a){b();}\nc([1,2]);"),
        ("x = () => {}\ny", "x=()=>{}\ny"),
        ("x = `a,\nb;\n}`;", "x=`a,\nb;\n}`;"),
    ],
)
def test_spaces_go_where_nothing_depends_on_them(script, compact):
    """Texts, templates and regular expressions stay as they are, and so do the ends of statements."""
    assert compact_script(script) == compact


def test_style():
    """Selectors keep their spaces."""
    assert compact_style("#a .b { color: red; top: 0; }\n") == "#a .b{color:red;top:0}"
