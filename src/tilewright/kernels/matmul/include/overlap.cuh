// Kernels that follow each other closely (programmatic dependent launch): the next one starts while this one ends.
//
// Without it a launch begins when the kernel before has ended and its results are in memory. With it the next kernel's
// blocks take the places of blocks that have ended, set themselves up, and wait for those results themselves.
// Nothing calls the next kernel earlier (griddepcontrol.launch_dependents): blocks that only wait are in the way
// of those that work. Products of 512 in a row took 3.6 us each with it on an H200, and 2.6 without.
// Source: PTX ISA, "Parallel synchronization and communication instructions: griddepcontrol".
#pragma once

// The kernel before this one in the stream may still be running: wait until it has ended and its results are in memory.
// Every block does, before it reads or writes what others see: then a kernel's end means that all before it have ended.
__device__ __forceinline__ void wait_for_previous_kernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
