"""A compile has limits, and whatever a source does to the compiler ends in a sentence."""

from __future__ import annotations

import pytest

from tests.lab.limited import tasks
from tilewright.lab.limited.running import has_template
from tilewright.lab.source import CompileError, Limits, SourceError, compile_user_file, isolation, read_cuda_file

KERNEL = "__global__ void k(float* a) { a[0] = %s; }\n"
MACROS = "#define A0 1+\n" + "".join(f"#define A{i} A{i - 1} A{i - 1} A{i - 1} A{i - 1}\n" for i in range(1, 20))
HEAVY = {
    "a recursion without end": (
        "template <int N> struct T { static const int v = T<N + 1>::v; };\n" + KERNEL % "T<0>::v",
        r"k\.cu:1: excessive recursion",
    ),
    "a header that includes itself": ('#include "k.cu"\n' + KERNEL % "1", r"k\.cu:1: .*includes itself"),
    "an array of gigabytes": (
        "__device__ int x[1000000000] = {1};\n" + KERNEL % "x[0]",
        r"k\.cu: the compiler needs more than 512 MiB of memory",
    ),
    "macros that grow without end": (MACROS + KERNEL % "A19 1", r"k\.cu.*(did not end within 3 seconds|memory)"),
    "templates that grow without end": (
        "template <int N, int M> struct T { static const long v = T<N - 1, M * 2>::v + T<N - 1, M * 2 + 1>::v; };\n"
        "template <int M> struct T<0, M> { static const long v = 1; };\n" + KERNEL % "T<28, 1>::v",
        r"k\.cu.*(did not end within 3 seconds|memory)",
    ),
}


def written(folder, text):
    """A file with that text."""
    (folder / "k.cu").write_text(text)
    return read_cuda_file(folder / "k.cu")


@pytest.mark.slow
@pytest.mark.parametrize("name", HEAVY)
def test_a_heavy_source_ends_in_a_sentence(tmp_path, name):
    """Within its limits, and with the file's name."""
    text, said = HEAVY[name]
    seconds = 3 if "3 seconds" in said else 120

    with pytest.raises(CompileError, match=said):
        compile_user_file(written(tmp_path, text), limits=Limits(seconds=seconds, memory_bytes=512 << 20))


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("segfault", r"^k\.cu: the compiler crashed \(SIGSEGV"),
        ("spend_processor_time", r"^k\.cu: the compiler did not end within 20 seconds"),
        ("ask_for_memory", r"^k\.cu: the compiler needs more than 2048 MiB of memory"),
        ("leave", r"^k\.cu: the compiler broke off \(status 3: last word\)"),
        ("print_something", r"^k\.cu: the compiler gave no answer"),
        ("half", r"^k\.cu: the compiler gave an answer that cannot be read"),
        ("hang", r"^k\.cu: the compiler did not end within 1 seconds"),
    ],
)
def test_a_compiler_that_ends_badly_is_a_sentence(tmp_path, monkeypatch, task, said):
    """With the file's name; whatever it says is data."""
    monkeypatch.setattr(isolation, "TASK", f"{tasks.__name__}:{task}")

    with pytest.raises(CompileError, match=said):
        compile_user_file(written(tmp_path, KERNEL % "1"), limits=Limits(seconds=1 if task == "hang" else 20))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"symbol": "other"}, r"k\.cu has no kernel called other; it has k"),
        ({"symbol": "k", "template_arguments": ["16"]}, "k is no template"),
        ({"defines": {"A\n#include": "1"}}, "-D takes NAME"),
        ({"defines": {"A": '1\n#include "x"'}}, "-D takes NAME"),
        ({"defines": {"__has_include(x)": "0"}}, "can't be defined"),
        ({"defines": {"A(a,b)": "a##b"}}, "can't hold ##"),
        ({"arch": "9.0"}, "an architecture is sm_NN"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(tmp_path, options, said):
    """Before anything is compiled."""
    with pytest.raises(SourceError, match=said):
        compile_user_file(written(tmp_path, KERNEL % "1"), **options)


def test_template_arguments_are_needed(tmp_path):
    """Those of a template that no launch in the file names; what is given must look like some."""
    text = "template <int N> __global__ void k(float* a) { a[0] = N; }\n"

    with pytest.raises(SourceError, match=r"k is a template of <int N>, and no launch"):
        compile_user_file(written(tmp_path, text), symbol="k")
    with pytest.raises(SourceError, match="no template arguments"):
        compile_user_file(written(tmp_path, text), symbol="k", template_arguments=['"x";'])


def test_a_file_is_compiled(tmp_path):
    """Names in the PTX lead to the source's kernels; its lines are those of the file; nothing is left behind."""
    text = "int main() {}\n\ntemplate <int N> __global__ void k(float* a) { a[0] = N + M; }\n"

    compiled = compile_user_file(written(tmp_path, text), symbol="k", template_arguments=["16"], defines={"M": "4"})

    assert list(compiled.kernels) == ["_Z1kILi16EEvPf"]
    assert compiled.kernels["_Z1kILi16EEvPf"].line == 3
    assert compiled.was_rewritten
    assert '.file\t1 "k.cu"' in compiled.ptx
    assert ".loc\t1 3" in compiled.ptx
    assert [path.name for path in tmp_path.iterdir()] == ["k.cu"]


@pytest.mark.skipif(not has_template(), reason="compilers are started here, and are this process's own children")
def test_the_time_of_a_compile_counts(tmp_path):
    """Forked from a template it is no child of this process, whose times would not have it."""
    before = isolation.processor_seconds_elsewhere()
    compile_user_file(written(tmp_path, KERNEL % "1"))

    assert before < isolation.processor_seconds_elsewhere() < before + 60


def test_a_file_without_kernels_is_refused(tmp_path):
    """Nothing to run."""
    with pytest.raises(SourceError, match=r"k\.cu has no kernel"):
        compile_user_file(written(tmp_path, "int main() { return 0; }\n"))
    with pytest.raises(SourceError, match=r"k is not compiled: an #if in k\.cu leaves it out"):
        compile_user_file(written(tmp_path, f"#ifdef A\n{KERNEL % 1}#endif\n"), symbol="k")


@pytest.mark.slow
def test_a_guess_at_template_arguments_may_be_wrong(tmp_path):
    """A launch in a template of the host names what only that knows; an enumerator is more than its number."""
    text = (
        "enum Kind { FIRST, SECOND };\n"
        "template <Kind K> __global__ void k(float* a) { a[0] = K == SECOND; }\n"
        "template <typename T> __global__ void q(T* a) { a[0] = 1; }\n"
        "template <typename U> void run(U* x) { q<U><<<1, 1>>>(x); k<SECOND><<<1, 1>>>(0); }\n"
    )

    assert list(compile_user_file(written(tmp_path, text)).kernels) == ["_Z1kIL4Kind1EEvPf"]
    with pytest.raises(SourceError, match=r"q: a template, and no launch in k\.cu says"):
        compile_user_file(written(tmp_path, text), symbol="q")


@pytest.mark.slow
def test_wrong_template_arguments_are_an_error_of_the_file(tmp_path):
    """Not of a file that NVRTC made up."""
    text = "template <int N> __global__ void k(float* a) { a[0] = N; }\n"

    with pytest.raises(CompileError, match=r"^k\.cu: the template arguments do not fit"):
        compile_user_file(written(tmp_path, text), symbol="k", template_arguments=["nothing"])
