// Neighbors, gathers and strides. Macros: FAMILY_*: which kernel; the others where they stand.

#if defined(FAMILY_STENCIL)
// The sum of the elements up to RADIUS away: of a cross, or of a square (BOX).
extern "C" __global__ void drawn_stencil(const Number *source, Number *target, int height, int width, int pitch) {
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    if (x < RADIUS || y < RADIUS || x >= width - RADIUS || y >= height - RADIUS) return;
    Sum sum = 0;
#if defined(BOX)
    for (int down = -RADIUS; down <= RADIUS; ++down)
        for (int right = -RADIUS; right <= RADIUS; ++right) sum += value(source[(y + down) * pitch + x + right]);
#else
    sum = value(source[y * pitch + x]);
    for (int away = 1; away <= RADIUS; ++away)
        sum += value(source[y * pitch + x - away]) + value(source[y * pitch + x + away]) +
               value(source[(y - away) * pitch + x]) + value(source[(y + away) * pitch + x]);
#endif
    target[y * pitch + x] = stored(sum);
}
#endif

#if defined(FAMILY_GATHER)
// Each element is the sum of READS that a list of places names.
extern "C" __global__ void drawn_gather(const Number *source, const int *places, Number *target, int count) {
    int index = blockIdx.x * BX + threadIdx.x;
    if (index >= count) return;
    Sum sum = 0;
    for (int read = 0; read < READS; ++read) sum += value(source[places[read * count + index]]);
    target[index] = stored(sum);
}
#endif

#if defined(FAMILY_STRIDES)
// Each element is the sum of READS, `distance` apart, from a place that is `stride` from its neighbor's.
extern "C" __global__ void drawn_strides(const Number *source, Number *target, int count, int size, int stride,
                                         int distance) {
    int index = blockIdx.x * BX + threadIdx.x;
    if (index >= count) return;
    Sum sum = 0;
    for (int read = 0; read < READS; ++read) sum += value(source[(index * stride + read * distance) % size]);
    target[index] = stored(sum);
}
#endif
