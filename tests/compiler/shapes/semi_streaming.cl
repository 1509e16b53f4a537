// Arria 10 17.1
// Compilers up to 17.1 keep a range that an outer loop reads again in order in a semi-streaming unit; from 18.1 on it
// is a cache.

__kernel void passes(__global const float *restrict x, __global float *restrict y, const int n, const int m)
{
    for (int i = 0; i < m; i++) {
        float sum = 0.0f;
        for (int j = 0; j < n; j++)
            sum += x[j];
    //             ^^^^ Semi-streaming 32
    //             ^^^^ Arria 10 18.1: Burst-coalesced cached 32
    //             ^^^^ Stratix V 16.1: Semi-streaming 32
        y[i] = sum;
    }
}

__kernel void by_all_items(__global const float *restrict x, __global float *restrict y, const int n)
{
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += x[j];
    //         ^^^^ Semi-streaming 32
    //         ^^^^ Stratix 10 18.1: Burst-coalesced cached 32
    y[get_global_id(0)] = sum;
}

__kernel void by_group(__global const float *restrict x, __global float *restrict y)
{
    y[get_global_id(0)] = x[get_group_id(0)];
    //                    ^^^^^^^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced cached 32
}

__kernel void staged(__global const float *restrict x, __global float *restrict y)
{
    __local float tile[64];
    event_t done = async_work_group_copy(tile,
                                         x + 64 * get_group_id(0),
    //                                   ^^^^^^^^^^^^^^^^^^^^^^^^ Stratix 10 19.4: Burst-coalesced cached 32
                                         64, 0);
    wait_group_events(1, &done);
    y[get_global_id(0)] = tile[63 - get_local_id(0)];
}
