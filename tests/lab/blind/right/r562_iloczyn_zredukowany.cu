// Zadanie 5: zredukowany iloczyn macierzy
//   C[i][j] = suma_p (A[2i][p] + A[2i+1][p]) * (B[p][2j] + B[p][2j+1])
// A: m x k, B: k x n, C: m/2 x n/2.  m i n parzyste, k dowolne.
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#include <cuda_runtime.h>

#define KAFEL 16

__global__ void zredukowany(const float *A, const float *B, float *C, int m, int k, int n)
{
    // pary dodajemy juz przy ladowaniu do pamieci wspoldzielonej
    __shared__ float sA[KAFEL][KAFEL];
    __shared__ float sB[KAFEL][KAFEL];

    int x = threadIdx.x, y = threadIdx.y;
    int wiersz  = blockIdx.y * KAFEL + y;
    int kolumna = blockIdx.x * KAFEL + x;
    int mh = m / 2, nh = n / 2;

    float suma = 0.0f;
    for (int p0 = 0; p0 < k; p0 += KAFEL) {
        int pa = p0 + x;
        int pb = p0 + y;
        if (wiersz < mh && pa < k)
            sA[y][x] = A[(2 * wiersz) * k + pa] + A[(2 * wiersz + 1) * k + pa];
        else
            sA[y][x] = 0.0f;
        if (kolumna < nh && pb < k)
            sB[y][x] = B[pb * n + 2 * kolumna] + B[pb * n + 2 * kolumna + 1];
        else
            sB[y][x] = 0.0f;
        __syncthreads();

        for (int q = 0; q < KAFEL; q++)
            suma += sA[y][q] * sB[q][x];
        __syncthreads();
    }
    if (wiersz < mh && kolumna < nh)
        C[wiersz * nh + kolumna] = suma;
}

int main(int argc, char **argv)
{
    int m = 130, k = 77, n = 94;
    if (argc == 4) {
        m = atoi(argv[1]); k = atoi(argv[2]); n = atoi(argv[3]);
    }
    assert(m > 0 && k > 0 && n > 0 && m % 2 == 0 && n % 2 == 0);
    assert((long long)m * k < 1LL << 31 && (long long)k * n < 1LL << 31);

    size_t rA = (size_t)m * k * sizeof(float);
    size_t rB = (size_t)k * n * sizeof(float);
    size_t rC = (size_t)(m / 2) * (n / 2) * sizeof(float);
    float *A = (float *)malloc(rA), *B = (float *)malloc(rB), *C = (float *)malloc(rC);
    for (int i = 0; i < m * k; i++) A[i] = (float)(rand() % 9 - 4);
    for (int i = 0; i < k * n; i++) B[i] = (float)(rand() % 9 - 4);

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, rA);
    cudaMalloc((void **)&dB, rB);
    cudaMalloc((void **)&dC, rC);
    cudaMemcpy(dA, A, rA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, rB, cudaMemcpyHostToDevice);

    dim3 watki(KAFEL, KAFEL);
    dim3 bloki((n / 2 + KAFEL - 1) / KAFEL, (m / 2 + KAFEL - 1) / KAFEL);
    zredukowany<<<bloki, watki>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(C, dC, rC, cudaMemcpyDeviceToHost);

    // sprawdzenie: suma blokow 2x2 zwyklego iloczynu (liczby calkowite, wiec dokladnie)
    int bledy = 0;
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++) {
            double s = 0;
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    for (int p = 0; p < k; p++)
                        s += (double)A[(2 * i + a) * k + p] * B[p * n + 2 * j + b];
            if (s != C[i * (n / 2) + j]) bledy++;
        }
    printf("bledy: %d\n", bledy);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return bledy != 0;
}
