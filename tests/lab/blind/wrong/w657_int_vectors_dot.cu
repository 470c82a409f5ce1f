#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Several integer dot products at once: blockIdx.y selects the pair of vectors,
// the blocks along x share one pair. Entries lie between 0 and 99999.
__global__ void dots(const int* u, const int* v, unsigned long long* out, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const int* uu = u + (size_t)blockIdx.y * n;
    const int* vv = v + (size_t)blockIdx.y * n;

    unsigned long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += uu[i] * vv[i];

    for (int d = warp.size() / 2; d > 0; d /= 2)
        sum += warp.shfl_down(sum, d);
    if (warp.thread_rank() == 0)
        atomicAdd(&out[blockIdx.y], sum);
}

int main()
{
    const int pairs = 6, n = 40000;
    const size_t bytes = (size_t)pairs * n * sizeof(int);
    int* hu = (int*)malloc(bytes);
    int* hv = (int*)malloc(bytes);
    for (int i = 0; i < pairs * n; ++i) {
        hu[i] = rand() % 100000;
        hv[i] = rand() % 100000;
    }

    int *u, *v;
    unsigned long long *out, result[pairs];
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMalloc(&out, sizeof(result));
    cudaMemcpy(u, hu, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(v, hv, bytes, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(result));

    dots<<<dim3(10, pairs), 256>>>(u, v, out, n);
    cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int p = 0; p < pairs; ++p) {
        unsigned long long ref = 0;
        for (int i = 0; i < n; ++i)
            ref += (unsigned long long)hu[p * n + i] * hv[p * n + i];
        printf("pair %d: %llu / %llu\n", p, result[p], ref);
        if (ref != result[p]) ++bad;
    }
    cudaFree(u);
    cudaFree(v);
    cudaFree(out);
    free(hu);
    free(hv);
    return bad;
}
