// Somma di un vettore con ciclo "grid-stride"
// lancio:
//   cudaMemset(totale, 0, sizeof(float));
//   sommaVettore<<<32, 256>>>(v, totale, n);

__global__ void sommaVettore(const float *v, float *totale, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float parz = 0.0f;

    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x)
        parz += v[i];

    s[t] = parz;
    __syncthreads();

    for (int d = 128; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(totale, s[0]);
}
