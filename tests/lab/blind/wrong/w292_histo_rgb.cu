/*
 * Histogramas de los tres canales de una imagen RGB entrelazada (8 bits).
 * hist[3][NBINS]; cada bin agrupa 256/NBINS niveles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define NBINS 64
#define SHIFT 2            /* 256 / 64 = 4 niveles por bin */
#define NTH   128

#define SEGURO(x)                                                          \
    if ((x) != cudaSuccess) {                                              \
        fprintf(stderr, "fallo en la linea %d\n", __LINE__);               \
        exit(1);                                                           \
    }

__global__ void histRGB(const uchar3 *img, int npix, int *hist)
{
    __shared__ int h[3 * NBINS];
    for (int i = threadIdx.x; i < 3 * NBINS; i += NTH)
        h[i] = 0;
    __syncthreads();

    for (int p = blockIdx.x * NTH + threadIdx.x; p < npix; p += gridDim.x * NTH) {
        uchar3 c = img[p];
        atomicAdd(&h[0 * NBINS + (c.x >> SHIFT)], 1);
        atomicAdd(&h[1 * NBINS + (c.y >> SHIFT)], 1);
        atomicAdd(&h[2 * NBINS + (c.z >> SHIFT)], 1);
    }
    __syncthreads();

    for (int i = threadIdx.x; i < 3 * NBINS; i += NTH)
        hist[i] += h[i];
}

int main(void)
{
    const int npix = 640 * 479;
    uchar3 *img = (uchar3 *)malloc(npix * sizeof(uchar3));
    int ref[3 * NBINS], hist[3 * NBINS];
    memset(ref, 0, sizeof(ref));
    for (int i = 0; i < npix; i++) {
        img[i].x = rand() % 256;
        img[i].y = rand() % 128;
        img[i].z = i % 256;
        ref[0 * NBINS + (img[i].x >> SHIFT)]++;
        ref[1 * NBINS + (img[i].y >> SHIFT)]++;
        ref[2 * NBINS + (img[i].z >> SHIFT)]++;
    }

    uchar3 *dImg;
    int *dHist;
    SEGURO(cudaMalloc((void **)&dImg, npix * sizeof(uchar3)));
    SEGURO(cudaMalloc((void **)&dHist, sizeof(hist)));
    SEGURO(cudaMemcpy(dImg, img, npix * sizeof(uchar3), cudaMemcpyHostToDevice));
    SEGURO(cudaMemset(dHist, 0, sizeof(hist)));

    histRGB<<<80, NTH>>>(dImg, npix, dHist);
    SEGURO(cudaGetLastError());
    SEGURO(cudaMemcpy(hist, dHist, sizeof(hist), cudaMemcpyDeviceToHost));

    int mal = 0;
    for (int i = 0; i < 3 * NBINS; i++)
        if (hist[i] != ref[i]) mal++;
    printf("bins incorrectos: %d\n", mal);

    cudaFree(dImg);
    cudaFree(dHist);
    free(img);
    return mal != 0;
}
