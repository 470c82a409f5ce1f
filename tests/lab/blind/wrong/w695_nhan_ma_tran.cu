// Bài tập lớn: nhân ma trận, mỗi luồng tính 4 phần tử trong một cột
// C (m x n) = A (m x k) * B (k x n), kích thước bất kỳ từ 1 đến 5000
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define BN 32        // số cột của một khối
#define BM 32        // số hàng của một khối
#define BK 32
#define MOI_LUONG 4  // số phần tử mỗi luồng
#define BY (BM / MOI_LUONG)

__global__ void nhanMaTran(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float As[BM][BK + 1];
    __shared__ float Bs[BK][BN];

    int tx = threadIdx.x, ty = threadIdx.y;
    int cot = blockIdx.x * BN + tx;
    int hang = blockIdx.y * BM + ty;
    float kq[MOI_LUONG] = {0.0f, 0.0f, 0.0f, 0.0f};

    for (int buoc = 0; buoc < k; buoc += BK) {
        for (int r = 0; r < MOI_LUONG; r++) {
            int h = hang + r * BY;
            int p = buoc + tx;
            As[ty + r * BY][tx] = (h < m && p < k) ? A[h * k + p] : 0.0f;
        }
        for (int r = 0; r < MOI_LUONG; r++) {
            int p = buoc + ty + r * BY;
            Bs[ty + r * BY][tx] = (p < k && cot < n) ? B[p * n + cot] : 0.0f;
        }
        __syncthreads();
        for (int p = 0; p < BK; p++) {
            float bv = Bs[p][tx];
            for (int r = 0; r < MOI_LUONG; r++)
                kq[r] += As[ty + r * BY][p] * bv;
        }
        __syncthreads();
    }

    for (int r = 0; r < MOI_LUONG; r++) {
        int h = hang + r * BY;
        if (h < m)
            C[h * n + cot] = kq[r];
    }
}

int main(int argc, char **argv)
{
    int m = 256, n = 320, k = 128;
    if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }
    if (m < 1 || n < 1 || k < 1 || m > 5000 || n > 5000 || k > 5000) return 1;

    float *hA = new float[m * k], *hB = new float[k * n], *hC = new float[m * n];
    for (int i = 0; i < m * k; i++) hA[i] = rand() % 10;
    for (int i = 0; i < k * n; i++) hB[i] = rand() % 10;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, m * k * sizeof(float));
    cudaMalloc(&dB, k * n * sizeof(float));
    cudaMalloc(&dC, m * n * sizeof(float));
    cudaMemcpy(dA, hA, m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, k * n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 khoi(BN, BY);
    dim3 luoi((n + BN - 1) / BN, (m + BM - 1) / BM);
    nhanMaTran<<<luoi, khoi>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(hC, dC, m * n * sizeof(float), cudaMemcpyDeviceToHost);

    int sai = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int p = 0; p < k; p++) s += hA[i * k + p] * hB[p * n + j];
            if (fabs(s - hC[i * n + j]) > 0.01f) sai++;
        }
    printf("So phan tu sai: %d\n", sai);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] hA; delete[] hB; delete[] hC;
    return 0;
}
