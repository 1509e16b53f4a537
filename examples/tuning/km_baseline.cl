// burstline: global_size=(33554432) points=33554432 f_max_mhz=280
// K-means, the step that finds each point's nearest centre: features lie point by point, centres in global memory.
#define CENTRES 128
#define FEATURES 8

__kernel void km_baseline(__global const float *features, __global const float *centres, __global int *nearest,
                          const int points)
{
    const int point = get_global_id(0);
    float best = 3.4e38f;
    int index = 0;
    for (int c = 0; c < CENTRES; c++) {
        float distance = 0.0f;
        #pragma unroll 1
        for (int f = 0; f < FEATURES; f++) {
            const float gap = features[point * FEATURES + f] - centres[c * FEATURES + f];
            distance += gap * gap;
        }
        if (distance < best) {
            best = distance;
            index = c;
        }
    }
    nearest[point] = index;
}
