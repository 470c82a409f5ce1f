// Matrixprodukt C = A * B (zeilenweise gespeichert), M x K mal K x N, beliebige Groessen.
// Ein Block aus 256 Threads (eindimensional) rechnet 64 x 64 Elemente von C,
// jeder Thread davon 4 x 4 in Registern.
// Start: matmul_reg<<<dim3((N+63)/64, (M+63)/64), 256>>>(...)

#define BLOCK_M 64
#define BLOCK_N 64
#define TIEFE 8
#define ANZ 4
#define THREADS 256

__global__ void matmul_reg(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[TIEFE][BLOCK_M];   // transponiert abgelegt
    __shared__ float Bs[TIEFE][BLOCK_N];

    const int tid = threadIdx.x;
    const int zeile0 = blockIdx.y * BLOCK_M;
    const int spalte0 = blockIdx.x * BLOCK_N;
    const int tz = tid / (BLOCK_N / ANZ);
    const int ts = tid % (BLOCK_N / ANZ);

    float summe[ANZ][ANZ];
    for (int i = 0; i < ANZ; ++i)
        for (int j = 0; j < ANZ; ++j)
            summe[i][j] = 0.f;

    for (int k0 = 0; k0 < K; k0 += TIEFE) {
        for (int e = tid; e < BLOCK_M * TIEFE; e += THREADS) {
            int z = e / TIEFE, k = e % TIEFE;
            bool drin = (zeile0 + z < M) && (k0 + k < K);
            As[k][z] = drin ? A[(zeile0 + z) * K + k0 + k] : 0.f;
        }
        for (int e = tid; e < BLOCK_N * TIEFE; e += THREADS) {
            int k = e / BLOCK_N, s = e % BLOCK_N;
            bool drin = (k0 + k < K) && (spalte0 + s < N);
            Bs[k][s] = drin ? B[(k0 + k) * N + spalte0 + s] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < TIEFE; ++k) {
            float a[ANZ], b[ANZ];
            for (int i = 0; i < ANZ; ++i) a[i] = As[k][tz * ANZ + i];
            for (int j = 0; j < ANZ; ++j) b[j] = Bs[k][ts * ANZ + j];
            for (int i = 0; i < ANZ; ++i)
                for (int j = 0; j < ANZ; ++j)
                    summe[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < ANZ; ++i) {
        int z = zeile0 + tz * ANZ + i;
        if (z >= M) continue;
        for (int j = 0; j < ANZ; ++j) {
            int s = spalte0 + ts * ANZ + j;
            if (s < N) C[z * N + s] = summe[i][j];
        }
    }
}
