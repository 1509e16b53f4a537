// burstline: n=1048576
typedef struct { float x, y, z, mass; } Body;
__kernel void total(__global const Body *restrict bodies, __global float *restrict out, const int n)
{
    #pragma unroll 16
    for (int i = 0; i < n; i++)
        out[i] = 2.0f * bodies[i].mass;
}
