// Forces between the particles of a box and those of its neighbours, on what was staged on the chip; in integers, as
// TYTRA has it, the exponential by its first two terms.
// burstline: board=de5net
#define PARTICLES 100

__kernel void lavamd(__global const int4 *restrict home, __global const int4 *restrict near,
                     __global int4 *restrict force, int a2, int one)
{
    for (int i = 0; i < PARTICLES; i++) {
        int4 own = home[i], other = near[i];
        int r2 = own.w + other.w - (own.x * other.x + own.y * other.y + own.z * other.z);
        int potential = one - a2 * r2;
        int scale = 2 * potential;
        force[i] = (int4)(scale * (own.x - other.x), scale * (own.y - other.y), scale * (own.z - other.z), potential);
    }
}
