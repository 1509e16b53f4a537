// burstline: global_size=(33554432) points=33554432 count=128 width=8 f_max_mhz=280
// K-means, the step that finds each point's nearest centre, as it is written for GPUs: each feature of the points lies
// in a column of its own, centres in global memory, and their numbers are arguments.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void km_baseline(__global const float *features, __global const float *centres, __global int *nearest,
                          const int points, const int count, const int width)
{
    const int point = get_global_id(0);
    float best = 3.4e38f;
    int index = 0;
    for (int c = 0; c < count; c++) {
        float distance = 0.0f;
        for (int f = 0; f < width; f++) {
            const float gap = features[f * points + point] - centres[c * width + f];
            distance += gap * gap;
        }
        if (distance < best) {
            best = distance;
            index = c;
        }
    }
    nearest[point] = index;
}
