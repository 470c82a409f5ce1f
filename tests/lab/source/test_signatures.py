"""What a kernel takes and shares, as its source has it."""

from __future__ import annotations

import textwrap

from tilewright.lab.source import device_part


def kernel_of(text):
    """The last kernel of a text."""
    return device_part(textwrap.dedent(text)).kernels[-1]


def test_parameters_are_described():
    """Pointers, arrays, constness, qualifiers, what a typedef or a macro stands for."""
    kernel = kernel_of(
        """
        #define ELEMENT double
        typedef float real;
        using index_t = const unsigned int;
        typedef const float* input;
        struct Matrix { int width; float* data; };
        __global__ void k(const float* __restrict__ A, ELEMENT *B, real C[][64], double (*D)[8], int m,
                          const unsigned int n,
                          Matrix s, float *const *rows, volatile int* flag, size_t stride = 4, index_t i, input v,
                          struct Matrix t, int E[4][5], const float4 *__restrict__ w, float& r)
        {
        }
        """
    )

    assert [(p.name, p.element_type, p.is_pointer, p.is_const, p.row_dimensions) for p in kernel.parameters] == [
        ("A", "float", True, True, ()),
        ("B", "double", True, False, ()),
        ("C", "float", True, False, ("64",)),
        ("D", "double", True, False, ("8",)),
        ("m", "int", False, False, ()),
        ("n", "unsigned int", False, True, ()),
        ("s", "Matrix", False, False, ()),
        ("rows", "float", True, False, ()),
        ("flag", "int", True, False, ()),
        ("stride", "size_t", False, False, ()),
        ("i", "unsigned int", False, True, ()),
        ("v", "float", True, True, ()),
        ("t", "Matrix", False, False, ()),
        ("E", "int", True, False, ("5",)),
        ("w", "float4", True, True, ()),
        ("r", "float", False, False, ()),
    ]
    assert kernel.parameters[0].type_text == "const float* __restrict__"
    assert kernel.parameters[3].type_text == "double (*)[8]"


def test_shared_arrays_are_described():
    """Several in one declaration, dynamic ones, scalars, alignment."""
    kernel = kernel_of(
        """
        template <typename T, int TILE = 16>
        __global__ void k(T* a)
        {
            __shared__ T As[TILE][TILE + 1], Bs[TILE];
            extern __shared__ __align__(16) unsigned char memory[];
            if (a) { __shared__ int count; volatile __shared__ float v[2][3][4]; }
            int local[3];
        }
        """
    )

    assert [(s.name, s.element_type, s.dimensions, s.is_dynamic, s.line) for s in kernel.shared_arrays] == [
        ("As", "T", ["TILE", "TILE + 1"], False, 5),
        ("Bs", "T", ["TILE"], False, 5),
        ("memory", "unsigned char", [""], True, 6),
        ("count", "int", [], False, 7),
        ("v", "float", ["2", "3", "4"], False, 7),
    ]
    assert kernel.template_parameters == ("typename T", "int TILE = 16")
    assert kernel.is_template


def test_names_and_lines_are_those_of_the_source():
    """Namespaces, extern "C", static, a prototype in front, overloads."""
    part = device_part(
        textwrap.dedent(
            """
            namespace outer { namespace inner {
            __global__ void first(int* a);
            __global__
            void first(int* a)
            {
            }
            } }
            namespace a::b { static __global__ void second() {} }
            extern "C" {
            __global__ void third(void) {}
            }
            __global__ void third(int x) {}
            """
        )
    )

    assert [(k.qualified_name, k.line, k.last_line, k.is_static, len(k.parameters)) for k in part.kernels] == [
        ("outer::inner::first", 5, 7, False, 1),
        ("a::b::second", 9, 9, True, 0),
        ("third", 11, 11, False, 0),
        ("third", 13, 13, False, 1),
    ]
