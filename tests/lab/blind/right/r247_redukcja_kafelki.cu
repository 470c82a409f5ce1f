// Zredukowany iloczyn macierzy: P = A*B, a potem
//   R[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1]
// m i n parzyste, k dowolne. Kazdy watek liczy cztery elementy P w rejestrach.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static const int BOK = 16;

__global__ void zredukowanyIloczyn(const float *A, const float *B, float *R, int m, int k, int n)
{
    __shared__ float ka[2 * BOK][BOK];
    __shared__ float kb[BOK][2 * BOK];

    int tx = threadIdx.x, ty = threadIdx.y;
    int wiersz0 = blockIdx.y * 2 * BOK;
    int kolumna0 = blockIdx.x * 2 * BOK;
    float p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int s = 0; s < k; s += BOK) {
        for (int h = 0; h < 2; h++) {
            int w = wiersz0 + ty + h * BOK;
            int q = s + tx;
            ka[ty + h * BOK][tx] = (w < m && q < k) ? A[(size_t)w * k + q] : 0.0f;
        }
        for (int h = 0; h < 2; h++) {
            int q = s + ty;
            int c = kolumna0 + tx + h * BOK;
            kb[ty][tx + h * BOK] = (q < k && c < n) ? B[(size_t)q * n + c] : 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < BOK; q++) {
            float a0 = ka[2 * ty][q], a1 = ka[2 * ty + 1][q];
            float b0 = kb[q][2 * tx], b1 = kb[q][2 * tx + 1];
            p00 += a0 * b0;
            p01 += a0 * b1;
            p10 += a1 * b0;
            p11 += a1 * b1;
        }
        __syncthreads();
    }

    int i = blockIdx.y * BOK + ty;
    int j = blockIdx.x * BOK + tx;
    if (i < m / 2 && j < n / 2)
        R[(size_t)i * (n / 2) + j] = p00 + p01 + p10 + p11;
}

int main()
{
    const int m = 70, k = 45, n = 98;
    std::vector<float> a(m * k), b(k * n), r((m / 2) * (n / 2));
    for (int i = 0; i < m * k; i++) a[i] = (float)(i % 9 - 4);
    for (int i = 0; i < k * n; i++) b[i] = (float)(i % 4 - 1);

    float *da, *db, *dr;
    if (cudaMalloc(&da, a.size() * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&db, b.size() * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&dr, r.size() * sizeof(float)) != cudaSuccess) {
        std::puts("brak pamieci");
        return 2;
    }
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blok(BOK, BOK);
    dim3 siatka((n / 2 + BOK - 1) / BOK, (m / 2 + BOK - 1) / BOK);
    zredukowanyIloczyn<<<siatka, blok>>>(da, db, dr, m, k, n);
    cudaError_t e = cudaMemcpy(r.data(), dr, r.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::printf("blad: %s\n", cudaGetErrorString(e));
        return 2;
    }

    int bledy = 0;
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++) {
            int suma = 0;
            for (int d = 0; d < 4; d++)
                for (int q = 0; q < k; q++)
                    suma += (int)a[(2 * i + d / 2) * k + q] * (int)b[q * n + 2 * j + d % 2];
            if ((float)suma != r[i * (n / 2) + j]) bledy++;
        }
    std::printf("bledne elementy: %d\n", bledy);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    return bledy ? 1 : 0;
}
