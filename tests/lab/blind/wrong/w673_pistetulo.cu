// Pistetulo yhdellä ytimellä: viimeinen valmistuva lohko laskee osasummat yhteen.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned SAIKEITA = 128;
constexpr unsigned LOHKOJA = 40;

__device__ double osat[LOHKOJA];
__device__ unsigned laskuri = 0;

__device__ double lohkonSumma(double v)
{
    __shared__ double w[SAIKEITA / 32];
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(0xffffffff, v, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
    __syncthreads();
    double s = 0.0;
    for (unsigned i = 0; i < SAIKEITA / 32; ++i) s += w[i];
    __syncthreads();
    return s;
}

__global__ void pistetulo(const double *x, const double *y, int n, double *tulos)
{
    __shared__ bool viimeinen;

    double v = 0.0;
    for (int i = blockIdx.x * SAIKEITA + threadIdx.x; i < n; i += LOHKOJA * SAIKEITA)
        v += x[i] * y[i];
    v = lohkonSumma(v);

    if (threadIdx.x == 0) {
        osat[blockIdx.x] = v;
        __threadfence();
        unsigned vuoro = atomicInc(&laskuri, gridDim.x);
        viimeinen = (vuoro == gridDim.x - 1);
    }
    __syncthreads();

    if (viimeinen) {
        double s = 0.0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += SAIKEITA)
            s += ((volatile double *)osat)[b];
        s = lohkonSumma(s);
        if (threadIdx.x == 0) *tulos = s;
    }
}

int main()
{
    const int n = 12345;
    std::vector<double> x(n), y(n);
    double *dx, *dy, *dt;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dt, sizeof(double));

    for (int kerta = 1; kerta <= 3; ++kerta) {
        double oikea = 0.0, t = 0.0;
        for (int i = 0; i < n; ++i) {
            x[i] = kerta * 0.5;
            y[i] = i % 6;
            oikea += x[i] * y[i];
        }
        cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
        cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);
        pistetulo<<<LOHKOJA, SAIKEITA>>>(dx, dy, n, dt);
        cudaMemcpy(&t, dt, sizeof(double), cudaMemcpyDeviceToHost);
        std::printf("kerta %d: %f (oikea %f)\n", kerta, t, oikea);
    }
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dt);
    return 0;
}
