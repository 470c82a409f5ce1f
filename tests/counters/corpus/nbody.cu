// Gravity between all pairs of bodies: a block loads bodies into shared memory tile by tile, 128 at a time.
// bodies: x y z and mass; accelerations: x y z 0.

#define TILE 128

extern "C" __global__ void nbody(const float4* bodies, float4* accelerations, int count, float softening)
{
    __shared__ float4 tile[TILE];

    int i = blockIdx.x * TILE + threadIdx.x;
    float4 own = i < count ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int first = 0; first < count; first += TILE) {
        int other = first + threadIdx.x;
        tile[threadIdx.x] = other < count ? bodies[other] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < TILE; ++j) {
            float dx = tile[j].x - own.x, dy = tile[j].y - own.y, dz = tile[j].z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = tile[j].w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
    }
    if (i < count) accelerations[i] = make_float4(ax, ay, az, 0.0f);
}
