// C = A * B for long inner dimensions: the k range is cut in `slices` parts (gridDim.z),
// each part adds its share to C with atomicAdd.  Row-major, float; 1 <= slices <= 65535.
#include <cstdio>
#include <cuda_runtime.h>

#define CHK(x) do { cudaError_t rc = (x); if (rc != cudaSuccess) {                  \
    std::fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorString(rc)); return rc; } } while (0)

__global__ void slice_kernel(const float *A, const float *B, float *C,
                             int M, int N, int K, int depth)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;

    long long first = (long long)blockIdx.z * depth;
    long long last = first + depth;
    if (last > K) last = K;

    float share = 0.0f;
    for (long long k = first; k < last; ++k)
        share += A[(size_t)row * K + k] * B[(size_t)k * N + col];
    atomicAdd(&C[(size_t)row * N + col], share);
}

// hA, hB, hC are host arrays of M*K, K*N and M*N floats.
cudaError_t multiply_sliced(const float *hA, const float *hB, float *hC,
                            int M, int N, int K, int slices)
{
    size_t szA = (size_t)M * K * sizeof(float);
    size_t szB = (size_t)K * N * sizeof(float);
    size_t szC = (size_t)M * N * sizeof(float);
    float *A, *B, *C;

    CHK(cudaMalloc(&A, szA));
    CHK(cudaMalloc(&B, szB));
    CHK(cudaMalloc(&C, szC));
    CHK(cudaMemcpy(A, hA, szA, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(B, hB, szB, cudaMemcpyHostToDevice));

    int depth = (K + slices - 1) / slices;
    dim3 block(32, 4);
    dim3 grid((N + 31) / 32, (M + 3) / 4, slices);
    slice_kernel<<<grid, block>>>(A, B, C, M, N, K, depth);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(hC, C, szC, cudaMemcpyDeviceToHost));

    CHK(cudaFree(A));
    CHK(cudaFree(B));
    CHK(cudaFree(C));
    return cudaSuccess;
}
