// burstline: n=1048576
#pragma OPENCL EXTENSION cl_intel_channels : enable

channel float loaded __attribute__((depth(16)));
channel float scaled __attribute__((depth(16)));

__kernel void load(__global const float *restrict x, const int n)
{
    for (int i = 0; i < n; i++)
        write_channel_intel(loaded, x[i]);
}

__kernel void scale(const float by, const int n)
{
    for (int i = 0; i < n; i++) {
        float v = read_channel_intel(loaded);
        write_channel_intel(scaled, v * by + 1.0f);
    }
}

__kernel void store(__global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++)
        y[i] = read_channel_intel(scaled);
}
