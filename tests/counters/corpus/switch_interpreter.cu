// A tiny interpreter: each thread runs its own program of eight instructions through one large switch.
// programs: 8 instruction numbers (0 to 11) per thread.

extern "C" __global__ void switch_interpreter(
    const unsigned char* programs, const unsigned* inputs, unsigned* results, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned value = inputs[i], memory = 1;
    for (int step = 0; step < 8; ++step) {
        switch (programs[8 * i + step]) {
        case 0: value += memory; break;
        case 1: value -= memory; break;
        case 2: value *= memory; break;
        case 3: value ^= memory << 3; break;
        case 4: memory = value; break;
        case 5: value = (int)value < 0 ? ~value : value; break;
        case 6: value /= memory % 7 + 1; break;
        case 7: value = (int)value >> (memory & 7); break;
        case 8: memory = __popc(value); [[fallthrough]];
        case 9: value = max(value, memory); break;
        case 10: value = min(value, 1000u); break;
        default: value = __brev(value); break;
        }
    }
    results[i] = value;
}
