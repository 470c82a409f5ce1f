// Laboration 2, uppgift 1: matrismultiplikation på GPU.
// C (rader x kolumner) = A (rader x inre) * B (inre x kolumner), lagrade radvis.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

__global__ void matrisprodukt(const float *A, const float *B, float *C,
                              int rader, int inre, int kolumner)
{
    int kol = blockIdx.x * blockDim.x + threadIdx.x;
    int rad = blockIdx.y * blockDim.y + threadIdx.y;

    // trådar utanför matrisen gör ingenting
    if (rad >= rader || kol >= kolumner)
        return;

    float summa = 0.0f;
    for (int i = 0; i < inre; ++i)
        summa += A[rad * inre + i] * B[i * kolumner + kol];
    C[rad * kolumner + kol] = summa;
}

int main()
{
    const int rader = 200, inre = 75, kolumner = 130;
    std::vector<float> A(rader * inre), B(inre * kolumner), C(rader * kolumner);
    for (auto &x : A) x = (float)(rand() % 17) - 8.0f;
    for (auto &x : B) x = (float)(rand() % 13) - 6.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(32, 4);
    dim3 rutnat((kolumner + block.x - 1) / block.x, (rader + block.y - 1) / block.y);
    matrisprodukt<<<rutnat, block>>>(dA, dB, dC, rader, inre, kolumner);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int fel = 0;
    for (int r = 0; r < rader; ++r)
        for (int k = 0; k < kolumner; ++k) {
            float s = 0.0f;
            for (int i = 0; i < inre; ++i) s += A[r * inre + i] * B[i * kolumner + k];
            if (std::fabs(s - C[r * kolumner + k]) > 1e-3f) ++fel;
        }
    std::printf("antal fel: %d\n", fel);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return fel != 0;
}
