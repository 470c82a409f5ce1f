"""A file can't look at other files: neither through what it includes, nor by asking whether they exist."""

from __future__ import annotations

import os

import pytest

from tilewright.lab.source import CompileError, Limits, SourceError, compile_user_file, read_cuda_file
from tilewright.lab.source.includes import gather

KERNEL = "__global__ void k(float* a) { a[0] = 1; }\n"
HIDDEN_LINE = "the secret line"


@pytest.fixture
def folder(tmp_path):
    """A folder to work in, with a secret beside it and links that lead there."""
    (tmp_path / "secret.h").write_text(f"{HIDDEN_LINE}\n")
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "secret.h").write_text(f"{HIDDEN_LINE}\n")
    inside = tmp_path / "inside"
    (inside / "part").mkdir(parents=True)
    (inside / "part" / "good.h").write_text("#pragma once\n#define GOOD 1\n")
    (inside / "link.h").symlink_to(tmp_path / "secret.h")
    (inside / "linked").symlink_to(tmp_path / "beside")
    return inside


def written(folder, text, name="k.cu"):
    """A file in the folder, with a kernel at its end."""
    path = folder / name
    path.write_text(text if KERNEL in text else text + KERNEL)
    return read_cuda_file(path)


@pytest.mark.parametrize(
    "text",
    [
        '#include "/etc/passwd"\n',
        "#include </etc/passwd>\n",
        '#include "../secret.h"\n',
        "#include <../secret.h>\n",
        '#include "part/../../secret.h"\n',
        '#include "link.h"\n',
        '#include "linked/secret.h"\n',
        "#include <linked/secret.h>\n",
        '#include "~/secret.h"\n',
        '#include "C:\\\\secret.h"\n',
        '#include "..\\\\secret.h"\n',
        '#include ""\n',
        '#define NAME "/etc/passwd"\n#include NAME\n',
        "#define NAME </etc/passwd>\n#define INCLUDE(x) x\n#include INCLUDE(NAME)\n",
        "#include_next <stdio.h>\n",
        '#import "/etc/passwd"\n',
        '__device__ const char x[] = {\n#embed "/etc/passwd"\n};\n',
        '%:include "/etc/passwd"\n',
        '??=include "/etc/passwd"\n',
        '#/**/include/**/"/etc/passwd"\n',
        '/* a comment\n that ends here */ #include "/etc/passwd"\n',
        '#include /* a comment\n that goes on */ "/etc/passwd"\n',
        '# /*\n*/ include "/etc/passwd"\n',
        "#include </*/../*/../../../etc/passwd>\n",
        '#inc\\\nlude "/etc/passwd"\n',
        '#\\\ninclude \\\n"/etc/passwd"\n',
        'const char* s = R"(\\\n)";\n#include "/etc/passwd"\n',
        'const char* s = "\\\n#include \\"x\\"";\n#include "/etc/passwd"\n',
        '#if 0\n#include "/etc/passwd"\n#endif\n',
        'int a;\r#include "/etc/passwd"\r',
        '\f#include "/etc/passwd"\n',
        '#if __has_include("/etc/passwd")\n#error yes\n#endif\n',
        '#if __has_\\\ninclude("/etc/passwd")\n#error yes\n#endif\n',
        '#define PASTE(a, b) a##b\n#if PASTE(__has_, include)("/etc/passwd")\n#error yes\n#endif\n',
        '#define PASTE(a, b) a%:%:b\n#define ASK PASTE(__has_, include)\n#if 0\n#elif ASK("/etc/passwd")\n#endif\n',
        '#line 1 "/etc/passwd"\n',
        '# 1 "/etc/passwd" 1\n',
        '#pragma include_alias("a.h", "/etc/passwd")\n#include "a.h"\n',
        '_Pragma("include_alias(\\"a.h\\", \\"/etc/passwd\\")")\n#include "a.h"\n',
        '__global__ void b() { asm(".incbin \\"/etc/passwd\\""); }\n',
        '__global__ void b() { asm(".include \\"/etc/passwd\\""); }\n',
    ],
)
def test_an_include_that_leads_elsewhere_is_refused(folder, text):
    """Before anything is compiled, in a sentence that opens with the file and shows nothing of the other one."""
    with pytest.raises(SourceError, match=r"^k\.cu") as refusal:
        gather(written(folder, text))

    assert HIDDEN_LINE not in str(refusal.value)
    assert "root:" not in str(refusal.value)


@pytest.mark.parametrize("written_name", ["a" * 256, "\u00e4" * 128, "a/" * 501 + "b"])
def test_a_name_that_no_file_can_have_is_refused(folder, written_name):
    """Systems take names of 255 bytes, and raise errors of their own at longer ones."""
    with pytest.raises(SourceError, match=r"^k\.cu:1 includes .{,70}: a path has at most 1,000 bytes"):
        gather(written(folder, f'#include "{written_name}"\n'))


@pytest.mark.parametrize("text", ['#include "../secret.h"\n', '#include "link.h"\n', '#define X "a"\n#include X\n'])
def test_so_is_one_in_a_header(folder, text):
    """Included files are looked at too."""
    (folder / "first.h").write_text('#include "part/second.h"\n')
    (folder / "part" / "second.h").write_text(text)

    with pytest.raises(SourceError, match=r"^part/second\.h:\d"):
        gather(written(folder, '#include "first.h"\n'))


def test_what_is_there_and_what_is_not_are_refused_alike(folder):
    """A refusal does not tell whether a file exists."""
    sentences = []
    for name in ("/etc/passwd", "/etc/no-such-file"):
        with pytest.raises(SourceError) as refusal:
            gather(written(folder, f'#include "{name}"\n'))
        sentences.append(str(refusal.value).replace(name, "X"))

    assert sentences[0] == sentences[1]


def test_only_regular_files_are_read(folder):
    """A folder or a pipe with a header's name is not there."""
    (folder / "folder.h").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.h")

    found = gather(written(folder, '#include "folder.h"\n#include "pipe.h"\n'))

    assert found.files == {}
    assert [include.written for _, include in found.unknown] == ["folder.h", "pipe.h"]


def test_own_headers_are_found_from_where_they_are_included(folder):
    """In the folder of the includer, then in that of the file; once each, also when they include each other."""
    (folder / "a.h").write_text('#pragma once\n#include "part/b.h"\n')
    (folder / "part" / "b.h").write_text('#pragma once\n#include "good.h"\n#include "a.h"\n')

    found = gather(written(folder, '#include "a.h"\n#include <part/good.h>\n'))

    assert {name: header.path.relative_to(folder).as_posix() for name, header in found.files.items()} == {
        "a.h": "a.h",
        "part/b.h": "part/b.h",
        "good.h": "part/good.h",
        "part/good.h": "part/good.h",
    }


def test_two_files_of_one_name_are_refused(folder):
    """NVRTC takes headers by the name written: one name is one file."""
    (folder / "good.h").write_text("#define GOOD 2\n")
    (folder / "part" / "c.h").write_text('#include "good.h"\n')

    with pytest.raises(SourceError, match="different"):
        gather(written(folder, '#include "good.h"\n#include "part/c.h"\n'))


def test_unknown_headers_stand_in_empty_and_are_noted(folder):
    """What the host needs may be missing; known names need no note."""
    found = gather(
        written(folder, '#include <stdio.h>\n#include "book.h"\n#include <opencv2/core.hpp>\n#include <x/y>\n')
    )

    assert [include.written for include in found.host_headers] == ["stdio.h", "opencv2/core.hpp"]
    assert [note.partition(" is ")[0] for note in found.notes] == ["k.cu:2: book.h", "k.cu:4: x/y"]


@pytest.mark.parametrize(
    "text",
    [
        '// #include "../x.h"\n',
        '/* the\n * #include directive takes "/etc/passwd" */\n',
        'const char* s = "#include NAME";\n',
        "#include <stdio.h> // printf\n#include <math.h> /* sqrt */\n#include/* a */<string.h>\n",
        "#define PASTE(a, b) a##b\n__device__ int PASTE(x, 1);\n#if defined(PASTED)\n#endif\n",
    ],
)
def test_text_about_includes_is_no_include(folder, text):
    """Comments and strings in the middle of a line, and macros that paste names, are fine."""
    gather(written(folder, text))


def test_headers_are_compiled_with_the_file(folder):
    """Device code in headers is the file's, their host code is blanked too, and CUDA's own headers work."""
    (folder / "math.cuh").write_text(
        "#pragma once\n#include <vector>\n#include <cuda_fp16.h>\n"
        "inline std::vector<float> host() { return {}; }\n"
        "__device__ inline float half_of(float x) { return __half2float(__float2half(x)) / 2; }\n"
    )
    file = written(
        folder, '#include "math.cuh"\n#include "part/good.h"\n__global__ void h(float* a) { a[GOOD] = half_of(3); }\n'
    )

    compiled = compile_user_file(file)

    assert {signature.name for signature in compiled.kernels.values()} == {"h", "k"}
    assert compiled.was_rewritten


def test_errors_in_headers_name_the_header(folder):
    """File and line are those of the header."""
    (folder / "part" / "bad.h").write_text("\n__device__ int f() { return nothing; }\n")

    with pytest.raises(CompileError) as error:
        compile_user_file(written(folder, '#include "part/bad.h"\n'), limits=Limits(seconds=30))

    assert (error.value.file, error.value.line) == ("part/bad.h", 2)
