// Perkalian matriks, tiap thread menghitung 4 kolom (jarak 16).
// Ukuran M, N, K bebas. Blok 16 x 16, grid ((N+63)/64, (M+15)/16).
#define S 16
#define Q 4

__global__ void kaliMatriks(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[S][S];
    __shared__ float Bs[S][S * Q];

    int tx = threadIdx.x, ty = threadIdx.y;
    int baris = blockIdx.y * S + ty;
    int kolom = blockIdx.x * (S * Q) + tx;

    float hasil[Q] = {0.f, 0.f, 0.f, 0.f};

    for (int k0 = 0; k0 < K; k0 += S) {
        As[ty][tx] = (baris < M && k0 + tx < K) ? A[(size_t)baris * K + k0 + tx] : 0.f;
        for (int q = 0; q < Q; q++) {
            int c = kolom + q * S;
            Bs[ty][tx + q * S] = (k0 + ty < K && c < N) ? B[(size_t)(k0 + ty) * N + c] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < S; k++) {
            float a = As[ty][k];
            for (int q = 0; q < Q; q++)
                hasil[q] += a * Bs[k][tx + q * S];
        }
        __syncthreads();
    }

    // simpan hasil
    if (baris < M && kolom < N)
        for (int q = 0; q < Q; q++)
            C[(size_t)baris * N + kolom + q * S] = hasil[q];
}
