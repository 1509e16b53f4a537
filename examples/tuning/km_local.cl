// burstline: global_size=(33554432) points=33554432 f_max_mhz=250
// K-means: centres are staged in local memory.
#define CENTRES 128
#define FEATURES 8

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void km_local(__global const float *restrict features, __global const float *restrict centres,
                 __global int *restrict nearest, const int points)
{
    __local float own[CENTRES * FEATURES];
    const int point = get_global_id(0), item = get_local_id(0);
    for (int i = item; i < CENTRES * FEATURES; i += 256)
        own[i] = centres[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float best = 3.4e38f;
    int index = 0;
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0.0f;
        #pragma unroll 1
        for (int f = 0; f < FEATURES; f++) {
            const float gap = features[f * points + point] - own[c * FEATURES + f];
            distance += gap * gap;
        }
        if (distance < best) {
            best = distance;
            index = c;
        }
    }
    nearest[point] = index;
}
