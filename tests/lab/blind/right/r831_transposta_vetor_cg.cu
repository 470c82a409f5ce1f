// y = A^T x  (A é m x n por linhas, x tem m elementos, y tem n)
// Cada bloco fica com 32 colunas; 8 fileiras de threads percorrem as linhas e
// no fim um grupo de 8 threads junta as 8 somas de cada coluna.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int COLUNAS = 32;
constexpr int FILEIRAS = 8;

template <typename T>
__global__ void __launch_bounds__(COLUNAS * FILEIRAS)
transpostaVezesVetor(const T* __restrict__ A, const T* __restrict__ x,
                     T* __restrict__ y, size_t m, size_t n)
{
    // 36 em vez de 32: os oito valores de uma coluna caem em bancos diferentes
    __shared__ T parcial[FILEIRAS][COLUNAS + 4];

    const cg::thread_block bloco = cg::this_thread_block();
    const size_t base = size_t(blockIdx.x) * COLUNAS;
    const int tx = threadIdx.x, ty = threadIdx.y;

    T soma = 0;
    if (base + tx < n)
        for (size_t i = ty; i < m; i += FILEIRAS)
            soma += A[i * n + base + tx] * x[i];
    parcial[ty][tx] = soma;
    bloco.sync();

    const auto oito = cg::tiled_partition<FILEIRAS>(bloco);
    const int coluna = oito.meta_group_rank();
    const T total = cg::reduce(oito, parcial[oito.thread_rank()][coluna], cg::plus<T>());

    if (oito.thread_rank() == 0 && base + coluna < n)
        y[base + coluna] = total;
}

template <typename T>
void aplicar(const T* dA, const T* dx, T* dy, size_t m, size_t n, cudaStream_t fluxo)
{
    if (n == 0) return;
    const unsigned blocos = unsigned((n + COLUNAS - 1) / COLUNAS);
    transpostaVezesVetor<T><<<blocos, dim3(COLUNAS, FILEIRAS), 0, fluxo>>>(dA, dx, dy, m, n);
}

template void aplicar<float>(const float*, const float*, float*, size_t, size_t, cudaStream_t);
template void aplicar<double>(const double*, const double*, double*, size_t, size_t, cudaStream_t);
