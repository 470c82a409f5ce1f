// moving average over 2*R+1 neighbours on a ring (index wraps around at both ends)
// works for every n >= 1, also when n is smaller than the window
#include <iostream>
#include <vector>
#include <cmath>

#define R 3
#define NTHREADS 128

__device__ int wrap(int i, int n)
{
    i %= n;
    return i < 0 ? i + n : i;
}

__global__ void smooth(const double* in, double* out, int n)
{
    __shared__ double win[NTHREADS + 2 * R];

    int first = blockIdx.x * NTHREADS;          // first output of the block
    int g = first + threadIdx.x;

    // win[s] holds element first - R + s
    for (int s = threadIdx.x; s < NTHREADS + 2 * R; s += NTHREADS)
        win[s] = in[wrap(first - R + s, n)];
    __syncthreads();

    if (g < n) {
        double sum = 0;
        for (int d = 0; d <= 2 * R; d++)
            sum += win[threadIdx.x + d];
        out[g] = sum / (2 * R + 1);
    }
}

static bool test(int n)
{
    std::vector<double> a(n), b(n);
    for (int i = 0; i < n; i++) a[i] = std::sin(0.1 * i) + i % 3;

    double *da, *db;
    cudaMalloc(&da, n * sizeof(double));
    cudaMalloc(&db, n * sizeof(double));
    cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    smooth<<<(n + NTHREADS - 1) / NTHREADS, NTHREADS>>>(da, db, n);
    cudaMemcpy(b.data(), db, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);

    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int d = -R; d <= R; d++)
            s += a[((i + d) % n + n) % n];
        if (std::fabs(s / (2 * R + 1) - b[i]) > 1e-12) return false;
    }
    return true;
}

int main()
{
    for (int n : {1, 2, 5, 7, 127, 128, 129, 131, 1000, 4096}) {
        std::cout << n << (test(n) ? " ok" : " DIFFERENT") << std::endl;
    }
}
