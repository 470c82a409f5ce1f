// Scores between two sets of integer feature vectors: S = Q * D^T.
// Q holds nq rows, D holds nd rows, every row has dim entries.
// (fewer than 2^31 entries each, and values small enough that the sums fit an int)
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace scores {

// The block is one-dimensional (T*T threads) and is used as a T x T square.
template <int T>
__global__ void multiply_nt(const int* __restrict__ Q, const int* __restrict__ D,
                            int* __restrict__ S, int nq, int nd, int dim)
{
    __shared__ int q[T][T];
    __shared__ int d[T][T + 1];

    const int ly = threadIdx.x / T;
    const int lx = threadIdx.x % T;
    const int q_row = blockIdx.y * T + ly;
    const int d_row = blockIdx.x * T + ly;   // row of D that this thread fetches
    const int s_col = blockIdx.x * T + lx;   // column of S that it computes

    int total = 0;
    for (int base = 0; base < dim; base += T) {
        const int f = base + lx;
        q[ly][lx] = (q_row < nq && f < dim) ? Q[q_row * dim + f] : 0;
        d[ly][lx] = (d_row < nd && f < dim) ? D[d_row * dim + f] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; ++i) total += q[ly][i] * d[lx][i];
        __syncthreads();
    }
    if (q_row < nq && s_col < nd) S[q_row * nd + s_col] = total;
}

}  // namespace scores

int main()
{
    constexpr int T = 16;
    const int nq = 75, nd = 133, dim = 50;

    auto must = [](cudaError_t e, const char* what) {
        if (e != cudaSuccess) {
            std::printf("%s failed: %s\n", what, cudaGetErrorString(e));
            std::exit(1);
        }
    };
    auto blocks = [](int n, int per) { return static_cast<unsigned>((n + per - 1) / per); };

    std::vector<int> hq(nq * dim), hd(nd * dim), hs(nq * nd);
    for (size_t i = 0; i < hq.size(); ++i) hq[i] = static_cast<int>(i % 11) - 5;
    for (size_t i = 0; i < hd.size(); ++i) hd[i] = static_cast<int>(i % 13) - 6;

    int *dq = nullptr, *dd = nullptr, *ds = nullptr;
    must(cudaMalloc(&dq, hq.size() * sizeof(int)), "malloc Q");
    must(cudaMalloc(&dd, hd.size() * sizeof(int)), "malloc D");
    must(cudaMalloc(&ds, hs.size() * sizeof(int)), "malloc S");
    must(cudaMemcpy(dq, hq.data(), hq.size() * sizeof(int), cudaMemcpyHostToDevice), "copy Q");
    must(cudaMemcpy(dd, hd.data(), hd.size() * sizeof(int), cudaMemcpyHostToDevice), "copy D");

    const dim3 grid(blocks(nd, T), blocks(nq, T));
    scores::multiply_nt<T><<<grid, T * T>>>(dq, dd, ds, nq, nd, dim);
    must(cudaGetLastError(), "launch");
    must(cudaMemcpy(hs.data(), ds, hs.size() * sizeof(int), cudaMemcpyDeviceToHost), "copy S");

    int errors = 0;
    for (int i = 0; i < nq; ++i)
        for (int j = 0; j < nd; ++j) {
            const int want = std::inner_product(hq.begin() + i * dim, hq.begin() + (i + 1) * dim,
                                                hd.begin() + j * dim, 0);
            if (want != hs[i * nd + j]) ++errors;
        }
    std::printf("errors: %d\n", errors);

    cudaFree(dq);
    cudaFree(dd);
    cudaFree(ds);
    return errors ? 1 : 0;
}
