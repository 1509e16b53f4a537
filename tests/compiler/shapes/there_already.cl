// Stratix V 16.1
// Values that are there already need no second load: in a loop, from before it; in another function; beside stores
// to other fields. Neighbours share no unit across such a store (nine places of one report).

typedef struct { uint count, most; float speed, reach; } agent;

__kernel void in_a_loop(__global const agent *restrict all, __global const float *restrict x,
                        __global float *restrict y)
{
    const int i = get_global_id(0);
    const uint most = all[i].most;
    //                ^^^^^^^^^^^ Burst-coalesced 32
    float sum = 0.0f;
    for (uint k = 0; k < most; k++)
        if (k < all[i].most)
    //          ^^^^^^^^^^^ merged
            sum += x[k];
    y[i] = sum;
}

float reach_of(__global const agent *one)
{
    return one->reach * one->speed;
    //     ^^^^^^^^^^ Burst-coalesced 64
}

__kernel void beside_stores(__global agent *restrict all, __global float *restrict y)
{
    const int i = get_global_id(0);
    const float far = reach_of(&all[i]);
    all[i].count = 0;
    y[i] = far + all[i].reach + all[i].most;
    //           ^^^^^^^^^^^^ merged
    //                          ^^^^^^^^^^^ Burst-coalesced 32
}

__kernel void changed_in_the_loop(__global agent *restrict all, __global float *restrict y)
{
    const int i = get_global_id(0);
    float sum = all[i].speed;
    for (uint k = 0; k < 100; k++) {
        sum += all[i].speed;
    //         ^^^^^^^^^^^^ merged
        all[i].speed = sum;
    }
    y[i] = sum;
}

__kernel void behind_a_barrier(__global const float *x, __global float *restrict y)
{
    __local float seen[64];
    seen[get_local_id(0)] = x[64];
    for (int k = 0; k < 100; k++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        seen[get_local_id(0)] += x[64];
    //                           ^^^^^ Stratix V 17.1: Burst-coalesced 32
    }
    y[get_global_id(0)] = seen[get_local_id(0)];
}
