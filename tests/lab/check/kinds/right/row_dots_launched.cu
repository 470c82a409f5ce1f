// paarweise[z]: Zeile z der einen Matrix mal Zeile z der anderen
__global__ void paare(const float *links, const float *rechts, float *paarweise, int breite)
{
    __shared__ float teil[32];
    float summe = 0;
    for (int s = threadIdx.x; s < breite; s += 32)
        summe += links[blockIdx.x * breite + s] * rechts[blockIdx.x * breite + s];
    teil[threadIdx.x] = summe;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < 32; ++t) summe += teil[t];
        paarweise[blockIdx.x] = summe;
    }
}

int main()
{
    const int zeilen = 9, breite = 50;
    float *links, *rechts, *paarweise;
    cudaMallocManaged(&links, zeilen * breite * sizeof(float));
    cudaMallocManaged(&rechts, zeilen * breite * sizeof(float));
    cudaMallocManaged(&paarweise, zeilen * sizeof(float));
    paare<<<zeilen, 32>>>(links, rechts, paarweise, breite);
    cudaDeviceSynchronize();
}
