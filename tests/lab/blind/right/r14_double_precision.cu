#include <cstdio>
#include <cstddef>
#include <cstdlib>
#include <cmath>
#include <vector>

// double precision matmul, size_t everywhere so that big matrices work too
static const size_t BLOCK = 16;

__global__ void dgemm_shared(const double* A, const double* B, double* C,
                             size_t n_rows, size_t n_inner, size_t n_cols)
{
    __shared__ double As[BLOCK][BLOCK];
    __shared__ double Bs[BLOCK][BLOCK];

    size_t tx = threadIdx.x;
    size_t ty = threadIdx.y;
    size_t i = size_t(blockIdx.y) * BLOCK + ty;
    size_t j = size_t(blockIdx.x) * BLOCK + tx;

    double acc = 0.0;
    for (size_t k0 = 0; k0 < n_inner; k0 += BLOCK)
    {
        As[ty][tx] = 0.0;
        Bs[ty][tx] = 0.0;
        if (i < n_rows && k0 + tx < n_inner)
            As[ty][tx] = A[i * n_inner + k0 + tx];
        if (k0 + ty < n_inner && j < n_cols)
            Bs[ty][tx] = B[(k0 + ty) * n_cols + j];
        __syncthreads();

        // only go to the end of the valid part
        size_t kmax = n_inner - k0 < BLOCK ? n_inner - k0 : BLOCK;
        for (size_t k = 0; k < kmax; ++k)
            acc += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (i < n_rows && j < n_cols)
        C[i * n_cols + j] = acc;
}

int main()
{
    size_t R = 123, S = 77, Q = 201;
    std::vector<double> A(R * S), B(S * Q), C(R * Q, -1.0);
    for (auto& e : A) e = rand() / (double)RAND_MAX;
    for (auto& e : B) e = rand() / (double)RAND_MAX;

    double *dA = nullptr, *dB = nullptr, *dC = nullptr;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(BLOCK, BLOCK, 1);
    dim3 grid((unsigned)((Q + BLOCK - 1) / BLOCK), (unsigned)((R + BLOCK - 1) / BLOCK), 1);
    dgemm_shared<<<grid, block>>>(dA, dB, dC, R, S, Q);

    cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double maxdiff = 0;
    int nans = 0;
    for (size_t i = 0; i < R; ++i)
        for (size_t j = 0; j < Q; ++j) {
            double s = 0;
            for (size_t k = 0; k < S; ++k) s += A[i * S + k] * B[k * Q + j];
            double d = fabs(s - C[i * Q + j]);
            if (d != d) ++nans;
            if (d > maxdiff) maxdiff = d;
        }
    printf("max diff %g\n", maxdiff);
    bool ok = maxdiff < 1e-9 && nans == 0;
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return ok ? 0 : 1;
}
