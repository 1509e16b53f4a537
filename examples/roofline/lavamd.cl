// Forces between the particles of a box and those of its neighbours, on what was staged on the chip.
// burstline: board=de5net
#define PARTICLES 100

__kernel void lavamd(__global const float4 *restrict home, __global const float4 *restrict near,
                     __global float4 *restrict force, float a2)
{
    for (int i = 0; i < PARTICLES; i++) {
        float4 one = home[i], other = near[i];
        float3 d = one.xyz - other.xyz;
        float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
        float scale = 2.0f * other.w * exp(-a2 * r2);
        force[i] = (float4)(scale * d.x, scale * d.y, scale * d.z, one.w);
    }
}
