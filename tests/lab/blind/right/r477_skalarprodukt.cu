/* Skalarprodukt, tre i delat minne + atomicAdd.
   *svar ska vara 0 fore anropet. Blockstorlek: exakt 128 tradar. */
#define TRADAR 128

__global__ void skalar(const float *u, const float *v, float *svar, int n)
{
    __shared__ float buffert[TRADAR];
    int lokal = threadIdx.x;
    float del = 0.0f;

    for (int i = blockIdx.x * TRADAR + lokal; i < n; i += gridDim.x * TRADAR)
        del += u[i] * v[i];

    buffert[lokal] = del;
    __syncthreads();

    for (int halva = TRADAR / 2; halva >= 1; halva /= 2) {
        if (lokal < halva)
            buffert[lokal] += buffert[lokal + halva];
        __syncthreads();
    }

    if (lokal == 0)
        atomicAdd(svar, buffert[0]);
}
