// burstline: global_size=(33554432) points=33554432 f_max_mhz=220
// K-means: staged centres, the distance unrolled, for CENTRES_AT_ONCE centres; the features of a point lie side by
// side, so that one request brings them. UNITS compute units.
#define CENTRES 128
#define FEATURES 8
#ifndef CENTRES_AT_ONCE
#define CENTRES_AT_ONCE 1
#endif
#ifndef UNITS
#define UNITS 1
#endif

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_compute_units(UNITS)))
__kernel void km_local_unrolled_rows(__global const float *restrict features, __global const float *restrict centres,
                                     __global int *restrict nearest, const int points)
{
    __local float own[CENTRES * FEATURES];
    const int point = get_global_id(0), item = get_local_id(0);
    for (int i = item; i < CENTRES * FEATURES; i += 256)
        own[i] = centres[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float best = 3.4e38f;
    int index = 0;
    #pragma unroll CENTRES_AT_ONCE
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0.0f;
        #pragma unroll
        for (int f = 0; f < FEATURES; f++) {
            const float gap = features[point * FEATURES + f] - own[c * FEATURES + f];
            distance += gap * gap;
        }
        if (distance < best) {
            best = distance;
            index = c;
        }
    }
    nearest[point] = index;
}
