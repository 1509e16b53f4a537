// Nearest neighbour: the distance of every place on record to one given place.

typedef struct {
    float latitude;
    float longitude;
} place;

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(8)))
__kernel void nearest(__global const place *restrict places,
                      __global float *restrict distances,
                      const float latitude,
                      const float longitude)
{
    const int id = get_global_id(0);
    const float north = latitude - places[id].latitude;
    const float east = longitude - places[id].longitude;
    distances[id] = sqrt(north * north + east * east);
}
