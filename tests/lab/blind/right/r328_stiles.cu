// Άσκηση 6: άθροισμα κάθε στήλης ενός πίνακα (row-major)
// κάθε μπλοκ 32x8 αναλαμβάνει 32 στήλες

#define STILES 32
#define GRAMMES 8

__global__ void athroismaStilon(const float *A, float *s, int rows, int cols)
{
    __shared__ float merika[GRAMMES][STILES];

    int j = blockIdx.x * STILES + threadIdx.x;
    float v = 0.0f;

    if (j < cols) {
        // κάθε νήμα προσθέτει τις γραμμές ty, ty+8, ty+16, ...
        for (int i = threadIdx.y; i < rows; i += GRAMMES)
            v += A[(size_t)i * cols + j];
    }
    merika[threadIdx.y][threadIdx.x] = v;
    __syncthreads();

    for (int b = GRAMMES / 2; b > 0; b /= 2) {
        if (threadIdx.y < b)
            merika[threadIdx.y][threadIdx.x] += merika[threadIdx.y + b][threadIdx.x];
        __syncthreads();
    }

    if (threadIdx.y == 0 && j < cols)
        s[j] = merika[0][threadIdx.x];
}
