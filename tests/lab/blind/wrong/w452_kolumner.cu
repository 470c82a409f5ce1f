// Matrisprodukt. Varje tråd räknar fyra element i samma rad.
// Block 16 x 16 trådar -> ruta på 16 x 64 i C.
// Anrop: <<<dim3((n + 63) / 64, (m + 15) / 16), dim3(16, 16)>>>
// m, n, k godtyckliga

#define BX 16
#define BY 16
#define PER 4

__global__ void matmul4(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float rutaA[BY][BX];
    __shared__ float rutaB[BX][BX * PER];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int rad = blockIdx.y * BY + ty;
    const int start = blockIdx.x * BX * PER;

    float v[PER] = {0.0f};

    for (int s = 0; s < k; s += BX) {
        rutaA[ty][tx] = (rad < m && s + tx < k) ? A[rad * k + s + tx] : 0.0f;
        for (int j = 0; j < PER; j++) {
            int kol = start + tx + j * BX;
            rutaB[ty][tx + j * BX] = (s + ty < k && kol < n) ? B[(s + ty) * n + kol] : 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < BX; q++) {
            float a = rutaA[ty][q];
#pragma unroll
            for (int j = 0; j < PER; j++)
                v[j] += a * rutaB[q][tx + j * BX];
        }
        __syncthreads();
    }

    if (rad < m) {
        for (int j = 0; j < PER; j++) {
            int kol = start + tx * PER + j;
            if (kol < n)
                C[rad * n + kol] = v[j];
        }
    }
}
