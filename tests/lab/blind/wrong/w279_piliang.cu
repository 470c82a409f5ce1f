// piliang juzhen chengfa: meige z fangxiang de kuai suan yige juzhen
#include <cuda_runtime.h>

#define KUAI 16

struct Canshu {
    int m, n, k;      // A: m x k, B: k x n, C: m x n
};

__global__ void piliangChengfa(const double *A, const double *B, double *C, Canshu cs)
{
    __shared__ double kuaiA[KUAI][KUAI];
    __shared__ double kuaiB[KUAI][KUAI];

    // di pi ge juzhen de qidian
    size_t pi = blockIdx.z;
    A += pi * cs.m * cs.k;
    B += pi * cs.k * cs.n;
    C += pi * cs.m * cs.k;

    int hang = blockIdx.y * KUAI + threadIdx.y;
    int lie = blockIdx.x * KUAI + threadIdx.x;
    double he = 0;

    for (int qi = 0; qi < cs.k; qi += KUAI) {
        int ka = qi + threadIdx.x, kb = qi + threadIdx.y;
        kuaiA[threadIdx.y][threadIdx.x] = (hang < cs.m && ka < cs.k) ? A[(size_t)hang * cs.k + ka] : 0;
        kuaiB[threadIdx.y][threadIdx.x] = (kb < cs.k && lie < cs.n) ? B[(size_t)kb * cs.n + lie] : 0;
        __syncthreads();
        for (int i = 0; i < KUAI; i++)
            he += kuaiA[threadIdx.y][i] * kuaiB[i][threadIdx.x];
        __syncthreads();
    }

    if (hang < cs.m && lie < cs.n)
        C[(size_t)hang * cs.n + lie] = he;
}
