// C = A * B^T  (A: m x k, B: n x k, wierszami)
// Rozmiar kafelka wybierany przy uruchomieniu, pamięć współdzielona dynamiczna.
#include <cstdio>
#include <cstdlib>
#include <cmath>

extern __shared__ float pamiec[];

__global__ void mnoz_abt(const float *A, const float *B, float *C, int m, int n, int k)
{
    const int t = blockDim.x;            // kafelek jest kwadratowy: blockDim.x == blockDim.y
    const int krok = t + 1;              // dodatkowa kolumna przeciw konfliktom banków
    float *ka = pamiec;
    float *kb = pamiec + t * krok;

    const int x = threadIdx.x, y = threadIdx.y;
    const int w = blockIdx.y * t + y;    // wiersz C
    const int c = blockIdx.x * t + x;    // kolumna C
    const int wb = blockIdx.x * t + y;   // wiersz B, który wczytuje ten wątek

    float wynik = 0.0f;
    for (int p = 0; p < k; p += t) {
        const int kol = p + x;
        ka[y * krok + x] = (w < m && kol < k) ? A[w * k + kol] : 0.0f;
        kb[y * krok + x] = (wb < n && kol < k) ? B[wb * k + kol] : 0.0f;
        __syncthreads();
        for (int q = 0; q < t; q++)
            wynik += ka[y * krok + q] * kb[x * krok + q];
        __syncthreads();
    }
    if (w < m && c < n) C[w * n + c] = wynik;
}

void policz(const float *hA, const float *hB, float *hC, int m, int n, int k, int kafelek)
{
    float *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(float) * m * k);
    cudaMalloc(&dB, sizeof(float) * n * k);
    cudaMalloc(&dC, sizeof(float) * m * n);
    cudaMemcpy(dA, hA, sizeof(float) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, sizeof(float) * n * k, cudaMemcpyHostToDevice);
    dim3 watki(kafelek, kafelek);
    dim3 bloki((n + kafelek - 1) / kafelek, (m + kafelek - 1) / kafelek);
    size_t bajty = 2 * kafelek * (kafelek + 1) * sizeof(float);
    mnoz_abt<<<bloki, watki, bajty>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(hC, dC, sizeof(float) * m * n, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}

int main()
{
    const int m = 61, n = 47, k = 83;
    static float A[m * k], B[n * k], C[m * n];
    for (int i = 0; i < m * k; i++) A[i] = (i % 10) - 4.5f;
    for (int i = 0; i < n * k; i++) B[i] = (i % 6) - 2.5f;

    const int kafelki[] = {4, 8, 16, 32};
    for (int nr = 0; nr < 4; nr++) {
        policz(A, B, C, m, n, k, kafelki[nr]);
        float blad = 0.0f;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float s = 0.0f;
                for (int l = 0; l < k; l++) s += A[i * k + l] * B[j * k + l];
                blad = fmaxf(blad, fabsf(s - C[i * n + j]));
            }
        printf("kafelek %2d: blad %g\n", kafelki[nr], blad);
    }
    return 0;
}
