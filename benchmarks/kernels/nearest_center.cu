// The squared distance of each point to its nearest center, all read from global memory; a thread per point.
// points: dimensions x count, centers: centers_count x dimensions, nearest: count.

extern "C" __global__ void
nearest_center(const float* points, const float* centers, float* nearest, int count, int centers_count, int dimensions)
{
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count) return;
    float best = 3.0e38f;
    for (int center = 0; center < centers_count; ++center) {
        float sum = 0.0f;
        for (int d = 0; d < dimensions; ++d) {
            float apart = points[d * count + point] - centers[center * dimensions + d];
            sum += apart * apart;
        }
        best = fminf(best, sum);
    }
    nearest[point] = best;
}
