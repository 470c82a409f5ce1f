#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

// சிறிய சதுர அணிகளின் தொகுதிப் பெருக்கல்: C[p] = A[p] * B[p], ஒவ்வொன்றும் 8 x 8.
// ஒரு தொகுப்பு (8, 8, 4) இழைகள்: நான்கு அணிகள் ஒரே நேரத்தில்.

constexpr int D = 8;
constexpr int Z = 4;

__global__ void thoguthi(const float *A, const float *B, float *C, int enn)
{
    __shared__ float sa[Z * D * D];
    __shared__ float sb[Z * D * D];

    const int p = blockIdx.x * Z + threadIdx.z;
    const int idam = threadIdx.y * D + threadIdx.x;
    const size_t ulagam = (size_t)p * D * D + idam;
    float *a = sa + threadIdx.z * D;
    float *b = sb + threadIdx.z * D * D;

    if (p < enn) {
        a[idam] = A[ulagam];
        b[idam] = B[ulagam];
    }
    __syncthreads();

    if (p < enn) {
        float s = 0.f;
#pragma unroll
        for (int k = 0; k < D; ++k)
            s += a[threadIdx.y * D + k] * b[k * D + threadIdx.x];
        C[ulagam] = s;
    }
}

int main()
{
    const int enn = 1023, alavu = enn * D * D;
    float *A, *B, *C;
    cudaMallocManaged(&A, alavu * sizeof(float));
    cudaMallocManaged(&B, alavu * sizeof(float));
    cudaMallocManaged(&C, alavu * sizeof(float));
    for (int i = 0; i < alavu; ++i) {
        A[i] = rand() % 19 - 9;
        B[i] = rand() % 19 - 9;
    }
    thoguthi<<<(enn + Z - 1) / Z, dim3(D, D, Z)>>>(A, B, C, enn);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;

    int pizhai = 0;
    for (int p = 0; p < enn; ++p)
        for (int i = 0; i < D; ++i)
            for (int j = 0; j < D; ++j) {
                float s = 0;
                for (int k = 0; k < D; ++k)
                    s += A[p * 64 + i * D + k] * B[p * 64 + k * D + j];
                if (s != C[p * 64 + i * D + j]) ++pizhai;
            }
    printf("பிழைகள்: %d\n", pizhai);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return pizhai != 0;
}
