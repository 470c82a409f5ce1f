// juzhen zhuanzhi (transpose), 32x8 xiancheng kuai, mei ge xiancheng 4 ge yuansu
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define JIANCHA(x) do { cudaError_t cuowu = (x); if (cuowu) { \
    fprintf(stderr, "cuowu %d: %s\n", __LINE__, cudaGetErrorString(cuowu)); return 1; } } while (0)

template <typename T, int KUAI = 32, int HANG = 8>
__global__ void zhuanzhi(const T *ru, T *chu, int hangshu, int lieshu) {
    __shared__ T huancun[KUAI][KUAI + 1];

    int lie = blockIdx.x * KUAI + threadIdx.x;
    int hang = blockIdx.y * KUAI + threadIdx.y;
    for (int i = 0; i < KUAI; i += HANG)
        if (lie < lieshu && hang + i < hangshu)
            huancun[threadIdx.y + i][threadIdx.x] = ru[(size_t)(hang + i) * lieshu + lie];

    __syncthreads();

    // jiaohuan kuai zuobiao
    lie = blockIdx.y * KUAI + threadIdx.x;
    hang = blockIdx.x * KUAI + threadIdx.y;
    for (int i = 0; i < KUAI; i += HANG)
        if (lie < hangshu && hang + i < lieshu)
            chu[(size_t)(hang + i) * hangshu + lie] = huancun[threadIdx.x][threadIdx.y + i];
}

int main() {
    const int hangshu = 517, lieshu = 260;
    const size_t zijie = sizeof(int) * hangshu * lieshu;
    int *h_ru = (int *)malloc(zijie);
    int *h_chu = (int *)malloc(zijie);
    for (int i = 0; i < hangshu * lieshu; i++) h_ru[i] = i * 3 + 1;

    int *d_ru, *d_chu;
    JIANCHA(cudaMalloc(&d_ru, zijie));
    JIANCHA(cudaMalloc(&d_chu, zijie));
    JIANCHA(cudaMemcpy(d_ru, h_ru, zijie, cudaMemcpyHostToDevice));

    dim3 kuai(32, 8);
    dim3 wangge((lieshu + 31) / 32, (hangshu + 31) / 32);
    zhuanzhi<int><<<wangge, kuai>>>(d_ru, d_chu, hangshu, lieshu);
    JIANCHA(cudaGetLastError());
    JIANCHA(cudaMemcpy(h_chu, d_chu, zijie, cudaMemcpyDeviceToHost));

    int cuo = 0;
    for (int i = 0; i < hangshu; i++)
        for (int j = 0; j < lieshu; j++)
            cuo += h_chu[j * hangshu + i] != h_ru[i * lieshu + j];
    printf("cuo: %d\n", cuo);
    cudaFree(d_ru);
    cudaFree(d_chu);
    free(h_ru);
    free(h_chu);
    return cuo != 0;
}
