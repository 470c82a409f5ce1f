// Stands in for what the host's sys/types.h names on Linux, which nvcc reads before every file.
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
