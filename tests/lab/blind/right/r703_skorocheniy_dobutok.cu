// Скорочений добуток матриць у два кроки:
//  1) SA[i][l] = A[2i][l] + A[2i+1][l],  SB[l][j] = B[l][2j] + B[l][2j+1]
//  2) C = SA * SB
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Sizes {
    int m2;   // рядків C  (A має 2*m2 рядків)
    int n2;   // стовпців C (B має 2*n2 стовпців)
    int k;    // спільний вимір
};

__global__ void pairSums(const float *A, const float *B, float *SA, float *SB, Sizes z)
{
    int total = z.m2 * z.k + z.k * z.n2;
    int step = gridDim.x * blockDim.x;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < total; e += step) {
        if (e < z.m2 * z.k) {
            int i = e / z.k, l = e % z.k;
            SA[e] = A[(2 * i) * z.k + l] + A[(2 * i + 1) * z.k + l];
        } else {
            int f = e - z.m2 * z.k;      // номер у SB; рядок B удвічі довший
            SB[f] = B[2 * f] + B[2 * f + 1];
        }
    }
}

__global__ void multiply(const float *SA, const float *SB, float *C, Sizes z)
{
    // сітка одновимірна, один потік - один елемент
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < z.m2 * z.n2) {
        int i = e / z.n2, j = e - i * z.n2;
        float s = 0;
        for (int l = 0; l < z.k; l++)
            s += SA[i * z.k + l] * SB[l * z.n2 + j];
        C[e] = s;
    }
}

int main()
{
    Sizes z;
    z.m2 = 33; z.n2 = 21; z.k = 50;
    std::vector<float> A(2 * z.m2 * z.k), B(z.k * 2 * z.n2), C(z.m2 * z.n2);
    for (size_t i = 0; i < A.size(); i++) A[i] = (int)(i % 13) - 6;
    for (size_t i = 0; i < B.size(); i++) B[i] = (int)(i % 8) - 3;

    float *dA, *dB, *dSA, *dSB, *dC;
    cudaMalloc(&dA, sizeof(float) * A.size());
    cudaMalloc(&dB, sizeof(float) * B.size());
    cudaMalloc(&dSA, sizeof(float) * z.m2 * z.k);
    cudaMalloc(&dSB, sizeof(float) * z.k * z.n2);
    cudaMalloc(&dC, sizeof(float) * C.size());
    cudaMemcpy(dA, A.data(), sizeof(float) * A.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(float) * B.size(), cudaMemcpyHostToDevice);

    pairSums<<<8, 128>>>(dA, dB, dSA, dSB, z);
    multiply<<<(z.m2 * z.n2 + 127) / 128, 128>>>(dSA, dSB, dC, z);
    cudaMemcpy(C.data(), dC, sizeof(float) * C.size(), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < z.m2; i++)
        for (int j = 0; j < z.n2; j++) {
            float s = 0;
            for (int l = 0; l < z.k; l++)
                s += (A[2 * i * z.k + l] + A[(2 * i + 1) * z.k + l])
                   * (B[l * 2 * z.n2 + 2 * j] + B[l * 2 * z.n2 + 2 * j + 1]);
            if (s != C[i * z.n2 + j]) bad++;
        }
    printf("помилок: %d\n", bad);
    cudaFree(dA); cudaFree(dB); cudaFree(dSA); cudaFree(dSB); cudaFree(dC);
    return bad;
}
