// burstline: board=pac_a10 aoc_version=19.4 records=8300000
// Distances from one place to all records: a stream in, a stream out.
__attribute__((max_global_work_dim(0)))
__kernel void nn(__global const float *restrict latitudes, __global const float *restrict longitudes,
                 __global float *restrict distances, const int records, const float latitude, const float longitude)
{
    for (int i = 0; i < records; i++) {
        const float north = latitude - latitudes[i];
        const float east = longitude - longitudes[i];
        distances[i] = sqrt(north * north + east * east);
    }
}
