/* Asks NVIDIA's cuda_occupancy.h; built and run by fill_occupancy_table.py.
 *
 * A line of input per question: major minor threads_per_sm shared_per_sm shared_optin reserved
 * threads_per_block shared_bytes registers. A line of output: blocks by warps, registers and shared memory, and all.
 */
#include <cuda_occupancy.h>
#include <stdio.h>

int main(void)
{
    int major, minor, held, threads, registers;
    long shared_per_sm, optin, reserved, shared;
    while (scanf("%d %d %d %ld %ld %ld %d %ld %d", &major, &minor, &held, &shared_per_sm, &optin, &reserved, &threads,
                 &shared, &registers) == 9) {
        cudaOccDeviceProp device = {0};
        device.computeMajor = major;
        device.computeMinor = minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = held;
        device.regsPerBlock = 65536;
        device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 48 * 1024;
        device.sharedMemPerMultiprocessor = shared_per_sm;
        device.numSms = 1;
        device.sharedMemPerBlockOptin = optin;
        device.reservedSharedMemPerBlock = reserved;
        cudaOccFuncAttributes kernel = {0};
        kernel.maxThreadsPerBlock = 1024;
        kernel.numRegs = registers;
        kernel.sharedSizeBytes = 0;
        kernel.maxDynamicSharedSizeBytes = optin;
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
        kernel.numBlockBarriers = 1;
        cudaOccDeviceState state = {0};
        state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
        cudaOccResult result;
        cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared);
        if (error != CUDA_OCC_SUCCESS) {
            fprintf(stderr, "cuda_occupancy.h: error %d\n", error);
            return 1;
        }
        printf("%d %d %d %d\n", result.blockLimitWarps, result.blockLimitRegs, result.blockLimitSharedMem,
               result.activeBlocksPerMultiprocessor);
    }
    return 0;
}
