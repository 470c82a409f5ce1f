// Two tile buffers ("ping" and "pong"), prefetching the next tile into registers.
// M, N, K multiples of 16.   Block 16 x 16, grid (N/16, M/16)

#define TS 16

__global__ void gemm_pingpong(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[2][TS][TS];
    __shared__ float Bs[2][TS][TS];

    int lx = threadIdx.x;
    int ly = threadIdx.y;
    int row = blockIdx.y * TS + ly;
    int col = blockIdx.x * TS + lx;

    const float *pa = A + row * K + lx;
    const float *pb = B + ly * N + col;

    As[0][ly][lx] = *pa;
    Bs[0][ly][lx] = *pb;
    __syncthreads();

    float acc = 0.f;
    int numTiles = K / TS;
    for (int t = 0; t < numTiles; t++) {
        int now = t & 1;
        int next = 1 - now;
        float ra = 0.f, rb = 0.f;
        if (t + 1 < numTiles) {
            pa += TS;
            pb += TS * N;
            ra = *pa;
            rb = *pb;
        }

        for (int k = 0; k < TS; k++)
            acc += As[now][ly][k] * Bs[now][k][lx];

        As[next][ly][lx] = ra;
        Bs[now][ly][lx] = rb;
        __syncthreads();
    }
    C[row * N + col] = acc;
}
