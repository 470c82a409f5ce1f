// A struct passed by value: which box a point falls into, and whether it is inside the region at all.
// points: x y z per point; cells: -1 outside.

struct Region {
    float3 origin;
    float spacing;
    int3 cells;
    bool is_closed;
};

__device__ bool is_within(int cell, int count, bool is_closed)
{
    return cell >= 0 && (is_closed ? cell <= count : cell < count);
}

extern "C" __global__ void struct_parameter(Region region, const float3* points, int* cells, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float3 point = points[i];
    int x = (int)floorf((point.x - region.origin.x) / region.spacing);
    int y = (int)floorf((point.y - region.origin.y) / region.spacing);
    int z = (int)floorf((point.z - region.origin.z) / region.spacing);
    bool inside = is_within(x, region.cells.x, region.is_closed) && is_within(y, region.cells.y, region.is_closed)
        && is_within(z, region.cells.z, region.is_closed);
    cells[i] = inside ? (z * region.cells.y + y) * region.cells.x + x : -1;
}
