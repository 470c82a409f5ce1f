// الضرب النقطي لمتجهين على مرحلتين (بدون عمليات ذرية)
// المرحلة الأولى: كل كتلة تحسب مجموعا جزئيا. المرحلة الثانية: كتلة واحدة تجمع الجزئيات.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

constexpr int KHUYUT = 256;                 // خيوط لكل كتلة
constexpr unsigned KAMIL = 0xffffffffu;     // كل خيوط اللفة (warp)

// مجموع قيم الكتلة كلها؛ النتيجة صحيحة في الخيط 0 فقط
__device__ double majmuKutla(double v)
{
    __shared__ double juzi[KHUYUT / 32];
    const int khayt = threadIdx.x % 32;
    const int laffa = threadIdx.x / 32;

    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(KAMIL, v, d);
    if (khayt == 0)
        juzi[laffa] = v;
    __syncthreads();

    if (laffa == 0) {
        v = (khayt < KHUYUT / 32) ? juzi[khayt] : 0.0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(KAMIL, v, d);
    }
    return v;
}

__global__ void marhala1(const float *x, const float *y, long long n, double *juziyat)
{
    double s = 0.0;
    const long long khatwa = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += khatwa)
        s += (double)x[i] * (double)y[i];

    s = majmuKutla(s);
    if (threadIdx.x == 0)
        juziyat[blockIdx.x] = s;
}

__global__ void marhala2(const double *juziyat, int adad, double *natija)
{
    double s = 0.0;
    for (int i = threadIdx.x; i < adad; i += blockDim.x)
        s += juziyat[i];

    s = majmuKutla(s);
    if (threadIdx.x == 0)
        *natija = s;
}

int main()
{
    const long long n = 100003;
    std::vector<float> x(n), y(n);
    double marji = 0.0;                     // النتيجة المرجعية
    for (long long i = 0; i < n; ++i) {
        x[i] = float(i % 101) * 0.01f;
        y[i] = float(i % 37) * 0.1f - 1.5f;
        marji += (double)x[i] * y[i];
    }

    int kutal = int((n + KHUYUT - 1) / KHUYUT);
    if (kutal > 300) kutal = 300;

    float *dx, *dy;
    double *dj, *dn;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dj, kutal * sizeof(double));
    cudaMalloc(&dn, sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    marhala1<<<kutal, KHUYUT>>>(dx, dy, n, dj);
    marhala2<<<1, KHUYUT>>>(dj, kutal, dn);

    double natija;
    cudaMemcpy(&natija, dn, sizeof(double), cudaMemcpyDeviceToHost);
    std::printf("GPU %.6f  CPU %.6f\n", natija, marji);
    cudaFree(dx); cudaFree(dy); cudaFree(dj); cudaFree(dn);
    return std::fabs(natija - marji) < 1e-6 * std::fabs(marji) + 1e-6 ? 0 : 1;
}
