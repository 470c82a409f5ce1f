#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

template <int BS>
__global__ void innerProduct(const double *u, const double *v, double *out, int n)
{
    __shared__ double buf[BS];
    const int t = threadIdx.x;
    const int g = blockIdx.x * BS + t;

    buf[t] = g < n ? u[g] * v[g] : 0.0;
    __syncthreads();

    for (int half = BS / 2; half >= 1; half >>= 1) {
        if (t < half) {
            buf[t] += buf[t + half];
        }
    }

    if (t == 0) out[blockIdx.x] = buf[0];
}

int main()
{
    const int N = 50000;
    const int BS = 512;
    const int nb = (N + BS - 1) / BS;

    std::vector<double> u(N), v(N), part(nb);
    for (int i = 0; i < N; ++i) { u[i] = 1.0 / (i + 1); v[i] = i % 3; }

    double *du, *dv, *dout;
    cudaMalloc(&du, N * sizeof(double));
    cudaMalloc(&dv, N * sizeof(double));
    cudaMalloc(&dout, nb * sizeof(double));
    cudaMemcpy(du, u.data(), N * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), N * sizeof(double), cudaMemcpyHostToDevice);

    innerProduct<512><<<nb, BS>>>(du, dv, dout, N);
    cudaMemcpy(part.data(), dout, nb * sizeof(double), cudaMemcpyDeviceToHost);

    double sum = 0, ref = 0;
    for (double p : part) sum += p;
    for (int i = 0; i < N; ++i) ref += u[i] * v[i];
    printf("%s\n", std::fabs(sum - ref) < 1e-9 * ref ? "OK" : "NOT OK");

    cudaFree(du); cudaFree(dv); cudaFree(dout);
    return 0;
}
