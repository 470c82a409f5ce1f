// Producto escalar con shuffles. *resultado debe valer 0 antes del lanzamiento.
// Bloque: 256 hilos (múltiplo de 32), malla: cualquiera.

__inline__ __device__ float sumaWarp(float v)
{
#pragma unroll
    for (int d = 16; d >= 1; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void productoEscalar(const float *__restrict__ u, const float *__restrict__ v,
                                float *resultado, int n)
{
    __shared__ float porWarp[32];

    float local = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        local += u[i] * v[i];

    const int carril = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    local = sumaWarp(local);
    if (carril == 0)
        porWarp[warp] = local;
    __syncthreads();

    if (warp == 0) {
        local = (carril < blockDim.x / 32) ? porWarp[carril] : 0.0f;
        local = sumaWarp(local);
        if (carril == 0)
            atomicAdd(resultado, local);
    }
}
