// Bytes and words in dynamic shared memory: two arrays of different types carved out of one buffer, the usual way.
// Each block decodes run lengths: symbols[i] repeated lengths[i] times; out: 128 bytes per block, the rest is 0.

extern "C" __global__ void run_length(const unsigned char* symbols, const unsigned char* lengths, unsigned char* out)
{
    extern __shared__ unsigned char buffer[];
    int* ends = reinterpret_cast<int*>(buffer);
    unsigned char* letters = buffer + blockDim.x * sizeof(int);

    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    letters[t] = symbols[i];
    ends[t] = lengths[i];
    __syncthreads();
    if (t == 0)
        for (int run = 1; run < blockDim.x; ++run) ends[run] += ends[run - 1];
    __syncthreads();

    for (int place = t; place < 128; place += blockDim.x) {
        int run = 0;
        while (run < blockDim.x && ends[run] <= place) ++run;
        out[blockIdx.x * 128 + place] = run < blockDim.x ? letters[run] : 0;
    }
}
