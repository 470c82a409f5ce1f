// One level of a breadth-first search: every vertex at this level offers level + 1 to its neighbors.
// starts, neighbors: the graph in CSR form; found counts the vertices that were reached for the first time.

extern "C" __global__ void bfs_step(
    const int* starts, const int* neighbors, unsigned* levels, unsigned* found, unsigned level, int vertices)
{
    int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices || levels[vertex] != level) return;
    for (int edge = starts[vertex]; edge < starts[vertex + 1]; ++edge)
        if (atomicMin(&levels[neighbors[edge]], level + 1) == 0xffffffffu) atomicAdd(found, 1u);
}
