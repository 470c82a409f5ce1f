"""Files in the styles that students write: what each argument is, and what is said of those that can't be filled."""

from pathlib import Path

import pytest

from tests.repeats import sampled
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

STYLES = Path(__file__).parent / "styles"


def results_of(name):
    """The kernels of a file, as it is."""
    return check_file(STYLES / f"{name}.cu", Options())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    sampled(
        [
            ("swapped_names", "A,B,C,rows,inner,cols"),
            ("flat_grid", "A,B,C,rows,inner,cols"),
            ("size_t_sizes", "A,B,C,rows,cols,inner"),
            ("index_macro", "C,A,B,rows,inner,cols"),
            ("namespace_template", "A,B,C,rows,cols,inner"),
            ("extern_shared", "A,B,C,inner,cols,rows"),
            ("host_function", "C,A,B,rows,inner,cols"),
            ("host_template", "A,B,C,rows,cols,inner"),
            ("float4_macros", "A,B,C,rows,cols,inner"),
            ("half2_pairs", "A,B,C,rows,pairs,inner -D n=cols"),
            ("padded_columns", "cols,rows,inner,B,cols,A,inner,C,cols"),
            ("shifted_sizes", "A,B,C -D N=rows"),
            ("dot_of_partial_sums", "A,B,C -D N=inner"),
            ("dot_with_atomics", "A,B,C,inner"),
            ("struct_arguments", "inner,rows,A,cols,inner,B,cols,rows,C -D A__height=rows -D B__width=cols"),
            ("struct_of_sizes", "A,B,C,rows,cols,inner"),
            ("struct_view", "A,a.rows,a.cols,B,b.rows,b.cols,C,c.rows,c.cols -D m=rows -D n=cols -D depth=inner"),
        ]
    ),
)
def test_right_in_every_style(name, arguments):
    """Launched as the file says, or as it must, and right."""
    (result,) = results_of(name)

    assert result.arguments.endswith(f"--args {arguments}")
    assert result.is_well(), [(finding.kind, finding.message) for finding in result.findings]


@pytest.mark.slow
@pytest.mark.parametrize("width", ["job.ldc", "job.n"])
def test_a_reduced_product_with_leading_dimensions_in_constant_memory(tmp_path, width):
    """Its rows are longer than wide in one launch, which shows a width in place of a leading dimension."""
    text = (STYLES / "reduced_job_in_constant_memory.cu").read_text()
    path = tmp_path / "job.cu"
    path.write_text(text.replace("i * job.ldc + j", f"i * {width} + j"))
    (result,) = check_file(path, Options())

    assert result.operation == "reduced_matmul"
    assert result.is_well() == (width == "job.ldc")
    line = next(number for number, each in enumerate(text.split("\n"), 1) if "job.ldc" in each)
    assert [each.place[1] for each in result.findings if each.kind == "cause"] == [line] * (width == "job.n")


@pytest.mark.slow
def test_the_guides_matrices_with_a_stride():
    """What the host assigns to the fields is followed; sub-matrices are the kernel's own business."""
    (result,) = results_of("struct_with_stride")

    assert "-D A__width=inner -D A__height=rows -D B__width=cols" in result.arguments
    assert result.is_well(), [(finding.kind, finding.message) for finding in result.findings]


@pytest.mark.slow
def test_a_guard_that_compares_with_a_field_promises_any_size():
    """Without a launch, too: so tiles rounded down are wrong, and not a promise of whole ones."""
    (result,) = results_of("struct_floor")

    assert (result.findings[0].kind, result.findings[0].place[1]) == ("cause", 8)
    assert {case.status for case in result.cases if case.sizes["inner"] % 16} == {"wrong"}


@pytest.mark.long
def test_a_mistake_with_a_struct_is_found():
    """The same kernel with rows of A as long as A has rows: wrong, in the line where that stands."""
    (result,) = results_of("struct_wrong_row")

    assert not result.is_well()
    assert ("cause", 11) in {(finding.kind, finding.place[1]) for finding in result.findings}


@pytest.mark.slow
def test_a_struct_without_a_launch():
    """Without the host's code the order of the fields is found by trial, the same for every matrix."""
    (result,) = results_of("struct_alone")

    assert result.arguments.endswith("--args rows,inner,A,inner,cols,B,rows,cols,C")
    assert result.is_well()


@pytest.mark.slow
def test_what_the_launch_leaves_open_is_said():
    """A side of the block that only the program knows; the type of the host's template follows from its call."""
    (function,), (template,) = results_of("host_function"), results_of("namespace_template")

    assert any(note.startswith("threads, which only the running program knows, was taken") for note in function.notes)
    assert not any(note.startswith("T in the launch of tiledMatMul") for note in template.notes)
    assert template.is_well()


@pytest.mark.slow
def test_types_that_the_hosts_headers_name():
    """`uint`, as nvcc knows it without an include; a template with an `assert`, alpha and beta."""
    (result,) = check_file(STYLES / "unsigned_and_factors.cu", Options(multiples_of=64))

    assert result.arguments.endswith("--args rows,cols,inner,1.0,A,B,0.0,C")
    assert result.is_well()


@pytest.mark.slow
def test_promised_multiples_are_those_of_the_search():
    """A kernel whose threads compute two elements each, without a guard, fits where sizes are what it needs."""
    options = Options(block="16,16", grid="ceil(cols/32),ceil(rows/16)", multiples_of=32)
    (result,) = check_file(STYLES / "coarsened.cu", options)

    assert result.is_well()
    assert "fits" in result.how


@pytest.mark.slow
def test_a_transposed_matrix_is_named():
    """It is no product of A and B but one of another kind, and judged as that."""
    (result,) = results_of("transposed_b")

    assert result.is_well()
    assert result.operation == "matmul, A times the transposed B"
    assert any(note.startswith("C is A times the transposed B, and mm was judged") for note in result.notes)


@pytest.mark.slow
def test_zeros_of_the_host():
    """A kernel that adds into C is right where the file's own cudaMemset comes before it, and a note says so."""
    (result,) = results_of("dot_with_atomics")

    assert "C holds zeros before each launch, as the file's cudaMemset of line 23 has it." in result.notes


@pytest.mark.long
def test_threads_that_return_before_the_barriers():
    """Wrong at boundaries alone; nine parameters, six of them sizes."""
    (result,) = results_of("early_return")

    assert "--args A,B,C,rows,inner,inner,cols," in result.arguments
    assert ("barrier not reached", 20) in {(finding.kind, finding.place[1]) for finding in result.findings}
    assert result.cases[0].status == "right"


@pytest.mark.long
def test_two_products_in_one_file():
    """The one without guards is held to what its grid promises; the kernel that fills is left out, in a sentence."""
    naive, tiled = results_of("two_kernels")

    assert naive.is_well()
    assert {finding.kind for finding in tiled.findings} >= {"out of bounds"}
    assert any("init was not checked" in note for note in naive.notes)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("struct_nested", "A is of type Matrix, which check can't fill: let the kernel take its pointers"),
        ("double_pointers", "A is a pointer to pointers, which check can't fill: let the kernel take all rows in one"),
        ("vector_argument", "sizesA is an int2, which check can't fill: let the kernel take its numbers apart."),
        pytest.param(
            "quotients_of_elements",
            "--array a=a.npy --array b=b.npy --scalar n=5 --expect c=c_expected.npy",
            marks=pytest.mark.slow,
        ),
        pytest.param("device_malloc", "needs memory allocated in device code (malloc, new)", marks=pytest.mark.slow),
        pytest.param(
            "second_differences",
            "computes no matmul, reduced_matmul or dot in any order of its arguments",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_cannot_be_filled_is_said(name, sentence):
    """In a sentence that names the parameter and what to write."""
    (result,) = results_of(name)

    assert sentence in result.refusal


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), [("products_of_elements", "vector_multiply"), ("vector_add", "vector_add")])
def test_products_and_sums_of_elements_are_kinds(name, kind):
    """As a program launches them: with a loop over the grid, and with a guard."""
    (result,) = results_of(name)

    assert result.is_well()
    assert f"--operation {kind} --args A,B,C,inner" in result.arguments


LARGE_BLOCK = """
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k) {
    int row = blockIdx.y * 64 + threadIdx.y, col = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += row < m && col < n ? A[row * k + i] * B[i * n + col] : 0.f;
    if (row < m && col < n) C[row * n + col] = sum;
}
void host(const float *A, const float *B, float *C, int m, int n, int k) {
    mm<<<dim3((n + 63) / 64, (m + 63) / 64), dim3(64, 64)>>>(A, B, C, m, n, k);
}
"""
BLIND = Path(__file__).parents[1] / "blind"


@pytest.mark.slow
def test_rows_whose_length_is_in_bytes():
    """As cudaMallocPitch gives it."""
    (result,) = check_file(BLIND / "right" / "r44_pitched_memory.cu", Options())

    assert "4*inner" in result.arguments
    assert result.is_well()


@pytest.mark.slow
def test_a_product_of_many_matrices_is_right_as_many():
    """Another launch makes it right as one product of doubtful sizes, and its own as three behind each other."""
    (result,) = check_file(BLIND / "right" / "r20_batched_products.cu", Options())

    assert result.is_well(), result.refusal
    assert result.operation == "matmul, many products"
    assert "--args A,B,C,batch,rows,inner,cols" in result.arguments
    assert {case.sizes["batch"] for case in result.cases} == {3}


@pytest.mark.long
def test_a_barrier_that_stops_every_launch():
    """Nothing is said that would follow from what the arguments are taken for."""
    (result,) = results_of("tree_with_inner_barrier")

    assert {finding.kind for finding in result.findings} <= {"cause", "barrier not reached"}
    assert any(finding.place[1] == 11 for finding in result.findings)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "line", "change"),
    sampled(
        [
            ("w02_rechteck_produkt", 23, "__syncthreads()"),
            ("w24_dynamic_tile", 54, "(2 * ts * ts) * 4"),
            ("w27_matrix_program", 6, "`TILE_WIDTH` as `BLOCK_SIZE`"),
            ("w41_transposed_second", 21, "Bs[threadIdx.y][threadIdx.x]"),
            ("w54_warp_dot", 8, "`offset > 0`"),
            ("w125_fetch_helper", 9, "else *slot = 0;"),
            ("w126_sixteen_shift", 15, "(K + (1 << 4) - 1) >> 4"),
            ("w132_rmm_wide_blocks", 12, "`blockDim.y`"),
            ("w141_reduced_launcher", 11, "i < M / 2 && j < N / 2"),
            ("w145_skip_outside", 25, "`continue`"),
            ("w150_vektorsumma", 7, "`blockDim.x`"),
            ("w725_register_blocking", 57, "ty * 4"),
            ("w731_yarim_carpim", 25, "toplam = 0"),
            ("w745_skalarprodukt_warp", 15, "`32`"),
            ("w747_matritsa_vektor", 55, "`m` in place of `blokov`"),
            ("w762_rekisterilaatat", 25, "at the start of each trip"),
            ("w767_produit_reduit", 58, "lines 58, 59 rounded up"),
            ("w777_matrise_vektor", 14, "`blockDim.y`"),
            ("w788_gereduceerd", 39, "`k0 + q < diepte`"),
            ("w791_ic_carpim_warp", 26, "`serit == 0`"),
            ("w794_gemv_warp_row", 17, "`col += warpSize`"),
            ("w797_produit_reduit_paires", 27, "`q[p]`"),
            ("w799_macierz_wektor_warpy", 17, "`w += gridDim.x * (blockDim.x / 32)`"),
            ("w801_produto_reduzido_deposito", 11, "`else destino = 0;`"),
            ("w806_hasil_kali_titik_shuffle", 33, "`threadIdx.x < 32`"),
            ("w808_gemm_double_buffer", 36, "`__syncthreads();`"),
            ("w809_redukalt_szorzat_kotegek", 19, "at the start of each trip"),
            ("w812_gemm_double_buffer", 43, "`1 - cur`"),
            ("w820_escalar_half2", 22, "`threadIdx.x == 0 && blockIdx.x == 0`"),
            ("w821_pistetulo_cg", 21, "`if (alku + e < n)`"),
            ("w830_producte_per_lots", 42, "`C += pasC * gridDim.z`"),
            ("w836_chukso_haengryeol", 50, "`(nanum(yeol, BX), nanum(haeng, BY))`"),
            ("w837_juzhen_chengji_cg", 41, "this barrier"),
        ]
    ),
)
def test_causes_in_kernel_launch_and_constants(name, line, change):
    """Barriers and zeros that are missing, sizes in elements, constants, strides, lanes left out, shifts, guards."""
    (result,) = check_file(BLIND / "wrong" / f"{name}.cu", Options())

    cause = result.findings[0]
    assert (cause.kind, cause.place[1]) == ("cause", line)
    assert change in cause.message


@pytest.mark.long
def test_a_tile_of_the_running_program_is_asked_about():
    """Its rows overlap in shared memory whatever is tried: nothing is right, so that nobody is accused."""
    (result,) = check_file(BLIND / "wrong" / "w129_runtime_tile.cu", Options())

    assert result.refusal
    assert result.findings == ()


@pytest.mark.long
def test_a_launch_that_no_gpu_takes(tmp_path):
    """A block of 64 x 64 threads: whatever the arguments are, that is wrong."""
    path = tmp_path / "large_block.cu"
    path.write_text(LARGE_BLOCK, encoding="utf-8")
    (result,) = check_file(path, Options())

    assert [(finding.kind, finding.place[1]) for finding in result.findings] == [("impossible launch", 9)]
    assert "has 4096 threads" in result.findings[0].message
