// produto escalar com um bloco so; o bloco pode ter qualquer numero de threads de 1 a 1024
// chamada: escalar<<<1, threads>>>(x, y, n, saida);
__global__ void escalar(const float* x, const float* y, int n, float* saida)
{
    __shared__ float soma[1024];
    const int eu = threadIdx.x;

    float s = 0.0f;
    for (int i = eu; i < n; i += blockDim.x)
        s += x[i] * y[i];
    soma[eu] = s;
    __syncthreads();

    int ativos = blockDim.x;
    while (ativos > 1) {
        int metade = (ativos + 1) / 2;      // arredonda para cima
        if (eu + metade < ativos)
            soma[eu] += soma[eu + metade];
        __syncthreads();
        ativos = metade;
    }

    if (eu == 0)
        saida[0] = soma[0];
}
