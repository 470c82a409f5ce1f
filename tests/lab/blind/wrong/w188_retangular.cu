// Multiplicação com ladrilhos 16 x 16 e laço de k desenrolado
// grade: ((n + 15) / 16, (m + 15) / 16), bloco: (16, 16)
#define L 16

__global__ void __launch_bounds__(L * L)
multiplicaLadrilhos(int m, int n, int k, float *C, const float *A, const float *B)
{
    __shared__ float la[L][L], lb[L][L];

    int i = blockIdx.y * L + threadIdx.y;
    int j = blockIdx.x * L + threadIdx.x;
    float s0 = 0.f, s1 = 0.f;

    for (int base = 0; base < k; base += L) {
        bool dentroA = i < m && base + threadIdx.x < k;
        bool dentroB = j < n && base + threadIdx.y < k;
        la[threadIdx.y][threadIdx.x] = dentroA ? A[i * k + base + threadIdx.x] : 0.f;
        lb[threadIdx.y][threadIdx.x] = dentroB ? B[(base + threadIdx.y) * n + j] : 0.f;
        __syncthreads();
        for (int q = 0; q < L; q += 2) {
            s0 += la[threadIdx.y][q] * lb[q][threadIdx.x];
            s1 += la[threadIdx.y][q + 1] * lb[q + 1][threadIdx.x];
        }
        __syncthreads();
    }

    if (i < m && j < m)
        C[i * n + j] = s0 + s1;
}
