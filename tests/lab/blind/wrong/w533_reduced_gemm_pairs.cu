// 作业三：约简矩阵乘法
//   A 的相邻两行相加、B 的相邻两列相加，再做乘法
//   C(i,j) = Σ_k (A(2i,k)+A(2i+1,k)) * (B(k,2j)+B(k,2j+1))，C 为 (m/2) x (n/2)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

const int TS = 16;

__global__ void reducedGemm(const float* A, const float* B, float* C, int m, int n, int p)
{
    // 2*TS 行的 A 和 2*TS 列的 B
    __shared__ float sA[2 * TS][TS];
    __shared__ float sB[TS][2 * TS];

    int tx = threadIdx.x, ty = threadIdx.y;
    int aRow0 = blockIdx.y * 2 * TS;
    int bCol0 = blockIdx.x * 2 * TS;

    float sum = 0.0f;
    for (int k0 = 0; k0 < p; k0 += TS)
    {
        // 每个线程读 A 的两个元素、B 的两个元素（合并访问）
        for (int h = 0; h < 2; ++h)
        {
            int r = aRow0 + ty + h * TS;
            int c = bCol0 + tx + h * TS;
            sA[ty + h * TS][tx] = (r < m && k0 + tx < p) ? A[r * p + k0 + tx] : 0.0f;
            sB[ty][tx + h * TS] = (c < n && k0 + ty < p) ? B[(k0 + ty) * n + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < TS; ++k)
        {
            float a = sA[2 * ty][k] + sA[2 * ty + 1][k];
            float b = sB[k][tx] + sB[k][tx + TS];
            sum += a * b;
        }
        __syncthreads();
    }

    int i = blockIdx.y * TS + ty;
    int j = blockIdx.x * TS + tx;
    if (i < m / 2 && j < n / 2)
        C[i * (n / 2) + j] = sum;
}

int main(int argc, char** argv)
{
    int m = 128, n = 128, p = 128;
    if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); p = atoi(argv[3]); }
    if (m < 2 || n < 2 || p < 1 || m % 2 || n % 2) { printf("m, n 必须是正偶数\n"); return 1; }

    std::vector<float> A(m * p), B(p * n), C((m / 2) * (n / 2));
    for (auto& v : A) v = rand() % 10;
    for (auto& v : B) v = rand() % 10;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TS, TS);
    dim3 grid((n / 2 + TS - 1) / TS, (m / 2 + TS - 1) / TS);
    reducedGemm<<<grid, block>>>(dA, dB, dC, m, n, p);
    cudaDeviceSynchronize();
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    // 打印左上角
    for (int i = 0; i < 4 && i < m / 2; ++i) {
        for (int j = 0; j < 4 && j < n / 2; ++j) printf("%10.1f", C[i * (n / 2) + j]);
        printf("\n");
    }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
