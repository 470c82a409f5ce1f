// EmbeddingBag (mode = sum, optional per-sample weights), forward pass.
//
//   out[b, :] = sum over p in [offsets[b], offsets[b+1]) of w[p] * table[indices[p], :]
//
// offsets has bags + 1 entries; an empty bag yields a row of zeros. Indices that are
// negative (padding) are skipped. dim may be any positive number. weights may be null.
// One block per bag (grid-stride); the indices of a bag are staged through shared
// memory CHUNK at a time so that they are fetched once instead of once per column.
#include <cuda_runtime.h>
#include <cstdint>

template <typename scalar_t, typename index_t, int CHUNK = 128>
__global__ void embedding_bag_sum(scalar_t* __restrict__ out,
                                  const scalar_t* __restrict__ table,
                                  const index_t* __restrict__ indices,
                                  const index_t* __restrict__ offsets,
                                  const scalar_t* __restrict__ weights,
                                  int64_t bags, int64_t dim)
{
    __shared__ index_t  s_idx[CHUNK];
    __shared__ scalar_t s_w[CHUNK];

    for (int64_t bag = blockIdx.x; bag < bags; bag += gridDim.x) {
        const int64_t begin = offsets[bag];
        const int64_t end   = offsets[bag + 1];

        // same trip count for all threads: the barriers below are uniform
        for (int64_t d0 = 0; d0 < dim; d0 += blockDim.x) {
            const int64_t d = d0 + threadIdx.x;
            scalar_t acc = 0;

            for (int64_t p0 = begin; p0 < end; p0 += CHUNK) {
                const int cnt = (int)(end - p0 < CHUNK ? end - p0 : CHUNK);
                for (int i = threadIdx.x; i < cnt; i += blockDim.x) {
                    s_idx[i] = indices[p0 + i];
                    s_w[i]   = weights ? weights[p0 + i] : scalar_t(1);
                }
                __syncthreads();
                if (d < dim) {
                    for (int i = 0; i < cnt; ++i) {
                        const index_t row = s_idx[i];
                        if (row >= 0)
                            acc += s_w[i] * table[(int64_t)row * dim + d];
                    }
                }
                __syncthreads();
            }
            if (d < dim) out[bag * dim + d] = acc;
        }
    }
}

// embedding_bag_sum<float, int64_t><<<std::min<int64_t>(bags, 4096), 128, 0, stream>>>(...)
