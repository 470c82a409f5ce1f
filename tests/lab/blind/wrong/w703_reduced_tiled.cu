// Question 5: "reduced" product with shared memory tiles
// C[i][j] = sum_l (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TW 16
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define IDX(r, c, ld) ((r) * (ld) + (c))

// rc x cc is the size of C; A is 2*rc x len, B is len x 2*cc
__global__ void reducedProduct(const float *A, const float *B, float *C, int rc, int cc, int len)
{
    __shared__ float rowSum[TW][TW];
    __shared__ float colSum[TW][TW];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i = blockIdx.y * TW + ty;
    int j = blockIdx.x * TW + tx;
    float val = 0.0f;

    for (int ph = 0; ph < CEIL_DIV(len, TW); ++ph) {
        int la = ph * TW + tx;
        int lb = ph * TW + ty;
        if (i < rc && la < len)
            rowSum[ty][tx] = A[IDX(2 * i, la, len)] + A[IDX(2 * i + 1, la, len)];
        if (j < cc && lb < len)
            colSum[ty][tx] = B[IDX(lb, 2 * j, 2 * cc)] + B[IDX(lb, 2 * j + 1, 2 * cc)];
        __syncthreads();

        for (int l = 0; l < TW; ++l)
            val += rowSum[ty][l] * colSum[l][tx];
        __syncthreads();
    }

    if (i < rc && j < cc)
        C[IDX(i, j, cc)] = val;
}

int main(int argc, char **argv)
{
    // sizes of C and the common length can be given, anything from 1 to 1500
    int rc = 64, cc = 48, len = 80;
    if (argc > 3) { rc = atoi(argv[1]); cc = atoi(argv[2]); len = atoi(argv[3]); }
    if (rc < 1 || cc < 1 || len < 1 || rc > 1500 || cc > 1500 || len > 1500) return 1;

    int nA = 2 * rc * len, nB = 2 * cc * len, nC = rc * cc;
    float *hA = (float *)malloc(nA * sizeof(float));
    float *hB = (float *)malloc(nB * sizeof(float));
    float *hC = (float *)malloc(nC * sizeof(float));
    for (int q = 0; q < nA; ++q) hA[q] = (q * 7 % 10) / 10.0f;
    for (int q = 0; q < nB; ++q) hB[q] = (q * 3 % 10) / 10.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, nA * sizeof(float));
    cudaMalloc(&dB, nB * sizeof(float));
    cudaMalloc(&dC, nC * sizeof(float));
    cudaMemcpy(dA, hA, nA * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, nB * sizeof(float), cudaMemcpyHostToDevice);
    reducedProduct<<<dim3(CEIL_DIV(cc, TW), CEIL_DIV(rc, TW)), dim3(TW, TW)>>>(dA, dB, dC, rc, cc, len);
    cudaMemcpy(hC, dC, nC * sizeof(float), cudaMemcpyDeviceToHost);

    double worst = 0;
    for (int i = 0; i < rc; ++i)
        for (int j = 0; j < cc; ++j) {
            double s = 0;
            for (int l = 0; l < len; ++l)
                s += (hA[IDX(2 * i, l, len)] + hA[IDX(2 * i + 1, l, len)])
                   * (hB[IDX(l, 2 * j, 2 * cc)] + hB[IDX(l, 2 * j + 1, 2 * cc)]);
            worst = fmax(worst, fabs(s - hC[IDX(i, j, cc)]) / (1 + fabs(s)));
        }
    printf("relative error %g\n", worst);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
