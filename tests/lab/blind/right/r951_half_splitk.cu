#include <cuda_runtime.h>
#include <cuda_fp16.h>

// half inputs, float result. The depth K is cut into `parts` slices (blockIdx.z),
// every slice adds its share to C, which the launcher clears beforehand.
static const int S = 16;

__global__ void hmm_slices(const __half* A, const __half* B, float* C,
                           int M, int N, int K, int sliceLen)
{
    __shared__ __half tA[S][S + 2];
    __shared__ __half tB[S][S + 2];

    int c = threadIdx.x, r = threadIdx.y;
    int gr = blockIdx.y * S + r;
    int gc = blockIdx.x * S + c;
    int first = blockIdx.z * sliceLen;
    int last = min(first + sliceLen, K);
    const __half zero = __float2half(0.0f);

    float part = 0.0f;
    for (int p = first; p < last; p += S) {
        tA[r][c] = (gr < M && p + c < last) ? A[gr * K + p + c] : zero;
        tB[r][c] = (gc < N && p + r < last) ? B[(p + r) * N + gc] : zero;
        __syncthreads();
        for (int q = 0; q < S; ++q)
            part += __half2float(tA[r][q]) * __half2float(tB[q][c]);
        __syncthreads();
    }
    if (gr < M && gc < N)
        atomicAdd(C + gr * N + gc, part);
}

void hmm(const __half* A, const __half* B, float* C, int M, int N, int K, int parts)
{
    int len = (K + parts - 1) / parts;
    cudaMemset(C, 0, sizeof(float) * M * N);
    dim3 grid((N + S - 1) / S, (M + S - 1) / S, parts);
    hmm_slices<<<grid, dim3(S, S)>>>(A, B, C, M, N, K, len);
}
