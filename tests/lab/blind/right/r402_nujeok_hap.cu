// 누적합 (inclusive scan), 정수
//   out[i] = in[0] + in[1] + ... + in[i]
// 1단계: 블록마다 셔플로 누적합 + 블록 합 저장
// 2단계: 블록 합을 재귀적으로 누적합
// 3단계: 앞 블록들의 합을 더해 줌
// n 은 1 이상 2^31-1024 이하. 합이 int 범위를 넘지 않는다고 가정.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define BLK 512

__device__ int warpScan(int v, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v += left;
    }
    return v;
}

__global__ void scanBlock(const int* in, int* out, int* blockSum, int n)
{
    __shared__ int warpTotal[BLK / 32];
    int lane = threadIdx.x % 32;
    int wid  = threadIdx.x / 32;
    int i = blockIdx.x * BLK + threadIdx.x;

    int v = i < n ? in[i] : 0;
    v = warpScan(v, lane);
    if (lane == 31) warpTotal[wid] = v;
    __syncthreads();

    if (wid == 0) {
        int w = lane < BLK / 32 ? warpTotal[lane] : 0;
        w = warpScan(w, lane);
        if (lane < BLK / 32) warpTotal[lane] = w;
    }
    __syncthreads();

    if (wid > 0) v += warpTotal[wid - 1];
    if (i < n) out[i] = v;
    if (threadIdx.x == BLK - 1) blockSum[blockIdx.x] = v;   // 범위 밖은 0이므로 블록 전체 합
}

__global__ void addOffset(int* out, const int* blockScan, int n)
{
    int i = blockIdx.x * BLK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += blockScan[blockIdx.x - 1];
}

void scan(const int* dIn, int* dOut, int n)
{
    int nb = (n + BLK - 1) / BLK;
    int* dSum;
    cudaMalloc(&dSum, nb * sizeof(int));
    scanBlock<<<nb, BLK>>>(dIn, dOut, dSum, n);
    if (nb > 1) {
        int* dSumScan;
        cudaMalloc(&dSumScan, nb * sizeof(int));
        scan(dSum, dSumScan, nb);
        addOffset<<<nb, BLK>>>(dOut, dSumScan, n);
        cudaFree(dSumScan);
    }
    cudaFree(dSum);
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000000;
    if (n < 1) return 1;
    std::vector<int> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = rand() % 21 - 10;

    int *dIn, *dOut;
    cudaMalloc(&dIn, n * sizeof(int));
    cudaMalloc(&dOut, n * sizeof(int));
    cudaMemcpy(dIn, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    scan(dIn, dOut, n);
    cudaMemcpy(r.data(), dOut, n * sizeof(int), cudaMemcpyDeviceToHost);

    int acc = 0, bad = 0;
    for (int i = 0; i < n; i++) {
        acc += h[i];
        if (acc != r[i]) bad++;
    }
    printf("%s (틀린 개수 %d)\n", bad ? "실패" : "성공", bad);
    cudaFree(dIn);
    cudaFree(dOut);
    return bad != 0;
}
