// Uebungsblatt 4, Aufgabe 2: C (m x n) = A (m x k) * B (k x n)
// Start mit Bloecken von 32 x 32 Threads, ein Thread pro Element von C.
#define W 32

__global__ void produkt(float *A, float *B, float *C, int m, int k, int n)
{
    __shared__ float kachelA[W][W];
    __shared__ float kachelB[W][W + 1];

    int spalte = blockIdx.x * W + threadIdx.x;
    int zeile  = blockIdx.y * W + threadIdx.y;
    float wert = 0.f;

    for (int start = 0; start < k; start += W) {
        if (zeile < m && start + threadIdx.x < k)
            kachelA[threadIdx.y][threadIdx.x] = A[zeile * k + start + threadIdx.x];
        else
            kachelA[threadIdx.y][threadIdx.x] = 0.f;

        if (spalte < n && start + threadIdx.y < k)
            kachelB[threadIdx.y][threadIdx.x] = B[(start + threadIdx.y) * n + spalte];
        else
            kachelB[threadIdx.y][threadIdx.x] = 0.f;

        for (int i = 0; i < W; i++) {
            wert += kachelA[threadIdx.y][i] * kachelB[i][threadIdx.x];
        }
        __syncthreads();
    }

    if (zeile < m && spalte < n)
        C[zeile * n + spalte] = wert;
}
