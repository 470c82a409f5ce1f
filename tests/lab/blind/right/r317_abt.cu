// C = A * B^T,  A ist M x K, B ist N x K (beide zeilenweise), C ist M x N
//
// Aufruf:
//   dim3 block(16, 16);
//   dim3 grid((N + 15) / 16, (M + 15) / 16);
//   mulTransponiert<<<grid, block>>>(A, B, C, M, N, K);

__global__ void mulTransponiert(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[16][16];
    __shared__ float b[16][17];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int zeile  = blockIdx.y * 16 + ty;
    const int spalte = blockIdx.x * 16 + tx;
    const int zeileB = blockIdx.x * 16 + ty;   // zum Laden: Zeile von B

    float summe = 0.0f;
    for (int k0 = 0; k0 < K; k0 += 16)
    {
        const int k = k0 + tx;
        a[ty][tx] = (zeile  < M && k < K) ? A[zeile  * K + k] : 0.0f;
        b[ty][tx] = (zeileB < N && k < K) ? B[zeileB * K + k] : 0.0f;
        __syncthreads();

        for (int i = 0; i < 16; ++i)
            summe += a[ty][i] * b[tx][i];
        __syncthreads();
    }

    if (zeile < M && spalte < N)
        C[zeile * N + spalte] = summe;
}
