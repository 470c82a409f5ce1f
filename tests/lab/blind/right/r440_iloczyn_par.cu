// Zadanie 5: iloczyn macierzy "zlozonych":
//   W[i][j] = suma po p (A[2i][p] + A[2i+1][p]) * (B[p][2j] + B[p][2j+1])
// A: wierszeA x wspolny, B: wspolny x kolumnyB.  Nieparzysty ostatni wiersz A
// i nieparzysta ostatnia kolumna B nie maja pary i sa pomijane.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define KAFEL 8

__global__ void iloczyn_par(const int *A, const int *B, int *W,
                            int wierszeA, int wspolny, int kolumnyB)
{
    __shared__ int kafelA[KAFEL][KAFEL];
    __shared__ int kafelB[KAFEL][KAFEL];

    int wierszeW = wierszeA / 2;
    int kolumnyW = kolumnyB / 2;

    int x = threadIdx.x;
    int y = threadIdx.y;
    int i = blockIdx.y * KAFEL + y;
    int j = blockIdx.x * KAFEL + x;

    int suma = 0;
    int ileKafli = (wspolny + KAFEL - 1) / KAFEL;

    for (int k = 0; k < ileKafli; k++) {
        int pA = k * KAFEL + x;
        int pB = k * KAFEL + y;

        int a = 0, b = 0;
        if (i < wierszeW && pA < wspolny)
            a = A[(2 * i) * wspolny + pA] + A[(2 * i + 1) * wspolny + pA];
        if (j < kolumnyW && pB < wspolny)
            b = B[pB * kolumnyB + 2 * j] + B[pB * kolumnyB + 2 * j + 1];

        __syncthreads();            // poprzedni kafel juz niepotrzebny
        kafelA[y][x] = a;
        kafelB[y][x] = b;
        __syncthreads();            // nowy kafel gotowy

        for (int p = 0; p < KAFEL; p++)
            suma += kafelA[y][p] * kafelB[p][x];
    }

    if (i < wierszeW && j < kolumnyW)
        W[i * kolumnyW + j] = suma;
}

int main()
{
    int wierszeA = 45, wspolny = 30, kolumnyB = 62;
    int wierszeW = wierszeA / 2, kolumnyW = kolumnyB / 2;

    std::vector<int> A(wierszeA * wspolny), B(wspolny * kolumnyB), W(wierszeW * kolumnyW);
    for (size_t q = 0; q < A.size(); q++) A[q] = (int)(q * 7 % 19) - 9;
    for (size_t q = 0; q < B.size(); q++) B[q] = (int)(q * 5 % 23) - 11;

    int *dA, *dB, *dW;
    cudaMalloc((void **)&dA, A.size() * sizeof(int));
    cudaMalloc((void **)&dB, B.size() * sizeof(int));
    cudaMalloc((void **)&dW, W.size() * sizeof(int));
    cudaMemcpy(dA, &A[0], A.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, &B[0], B.size() * sizeof(int), cudaMemcpyHostToDevice);

    dim3 watki(KAFEL, KAFEL);
    dim3 bloki((kolumnyW + KAFEL - 1) / KAFEL, (wierszeW + KAFEL - 1) / KAFEL);
    iloczyn_par<<<bloki, watki>>>(dA, dB, dW, wierszeA, wspolny, kolumnyB);
    cudaMemcpy(&W[0], dW, W.size() * sizeof(int), cudaMemcpyDeviceToHost);

    int bledy = 0;
    for (int i = 0; i < wierszeW; i++)
        for (int j = 0; j < kolumnyW; j++) {
            int s = 0;
            for (int p = 0; p < wspolny; p++)
                s += (A[2 * i * wspolny + p] + A[(2 * i + 1) * wspolny + p]) *
                     (B[p * kolumnyB + 2 * j] + B[p * kolumnyB + 2 * j + 1]);
            if (s != W[i * kolumnyW + j]) bledy++;
        }
    printf("bledy: %d\n", bledy);

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dW);
    return bledy != 0;
}
