// Tuldok na produkto (dot product) gamit ang grid.sync(): iisang kernel, dalawang yugto.
// Kailangang ilunsad nang cooperative; sabay-sabay nakatira sa GPU ang lahat ng bloke.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

constexpr int HIBLA = 128;

__device__ double isama(cg::thread_block blk, double v, double* pansamantala)
{
    auto warp = cg::tiled_partition<32>(blk);
    for (int d = warp.size() / 2; d > 0; d /= 2) v += warp.shfl_down(v, d);
    if (warp.thread_rank() == 0) pansamantala[blk.thread_rank() / 32] = v;
    blk.sync();
    double s = 0;
    for (int i = 0; i < HIBLA / 32; ++i) s += pansamantala[i];
    blk.sync();
    return s;                       // pare-pareho sa lahat ng hibla
}

__global__ void tuldok(const float* x, const float* y, int n, double* bahagi, double* sagot)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block blk = cg::this_thread_block();
    __shared__ double pansamantala[HIBLA / 32];

    double s = 0;
    for (long long i = (long long)grid.thread_rank(); i < n; i += (long long)grid.size())
        s += (double)x[i] * y[i];
    s = isama(blk, s, pansamantala);
    if (blk.thread_rank() == 0) bahagi[blockIdx.x] = s;

    grid.sync();

    if (blockIdx.x == 0) {          // buong unang bloke ang pumapasok dito
        double t = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += HIBLA) t += bahagi[b];
        t = isama(blk, t, pansamantala);
        if (threadIdx.x == 0) *sagot = t;
    }
}

int main()
{
    int n = 123457;
    std::vector<float> hx(n), hy(n);
    double tama = 0;
    for (int i = 0; i < n; ++i) {
        hx[i] = sinf(0.37f * i);
        hy[i] = 1.0f / (1 + i % 17);
        tama += (double)hx[i] * hy[i];
    }

    int dev = 0, kaya = 0, sm = 0, bawatSM = 0;
    cudaDeviceGetAttribute(&kaya, cudaDevAttrCooperativeLaunch, dev);
    cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&bawatSM, tuldok, HIBLA, 0);
    if (!kaya || bawatSM < 1) { printf("walang cooperative launch\n"); return 2; }
    int bloke = sm * (bawatSM < 2 ? bawatSM : 2);

    float *x, *y; double *bahagi, *sagot;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&bahagi, bloke * sizeof(double));
    cudaMalloc(&sagot, sizeof(double));
    cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    void* arg[] = {&x, &y, &n, &bahagi, &sagot};
    cudaError_t e = cudaLaunchCooperativeKernel((void*)tuldok, dim3(bloke), dim3(HIBLA), arg, 0, 0);
    double r = 0;
    if (e == cudaSuccess) e = cudaMemcpy(&r, sagot, sizeof r, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 3; }

    bool ok = fabs(r - tama) <= 1e-9 * n;
    printf("GPU %.12f  CPU %.12f  %s\n", r, tama, ok ? "TAMA" : "MALI");
    return ok ? 0 : 1;
}
