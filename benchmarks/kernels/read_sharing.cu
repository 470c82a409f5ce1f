// Which SMs share a read of L2: one warp on each SM, and all read the same lines at times that are set for each SM.
//
// SM s reads line i at begin + delays[s] + i * period cycles, those sectors that masks[s] has bits for; 0: it is silent.
// Eight times anew the SMs agree on a begin, for that is off by some cycles. board: two words for each of the eight,
// how many have arrived and the nanosecond that they agreed on. warm: L2 has the lines before. target is never written:
// it keeps the reads.

extern "C" __global__ void read_sharing(const int* source, const int* delays, const int* masks,
                                        unsigned long long* board, int* target, int count, int period, int warm)
{
    int sm, lane = threadIdx.x, sum = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    int delay = delays[sm];
    bool asks = (masks[sm] >> (lane / 8)) & 1;

    // Bring all lines to L2, each sector once.
    if (warm)
        for (int i = blockIdx.x * 32 + lane; i < count * 4; i += gridDim.x * 32) sum += __ldcg(source + i * 8);

    for (int part = 0; part < 8; ++part, board += 2) {
        if (lane == 0) {
            __threadfence();
            unsigned long long now;
            if (atomicAdd(board, 1ull) == gridDim.x - 1) {
                asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
                atomicExch(board + 1, now + 4000);
            }
            volatile unsigned long long* when = board + 1;
            while (*when == 0) {}
            unsigned long long agreed = *when;
            do {
                asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
            } while (now < agreed);
        }
        __syncwarp();
        long long begin = clock64() + 2000 + delay;
        for (int i = 0; i < count / 8; ++i) {
            while (clock64() < begin + (long long)i * period) {}
            int place = (part * (count / 8) + i) * 32 + lane, got;
            if (asks) {
                asm volatile("ld.global.s32 %0, [%1];" : "=r"(got) : "l"(source + place));
                sum += got;
            }
        }
        __syncwarp();
    }
    if (sum == 12345) target[0] = sum;
}
