#pragma OPENCL EXTENSION cl_altera_channels : enable
channel float sent;
__kernel void send(__global const float *restrict x, const int n)
{
    for (int i = 0; i < n; i++)
        write_channel_altera(sent, x[i]);
}
