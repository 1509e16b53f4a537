// Heat on a plate, 512×512, one step: a single work-item reads each cell once and keeps two rows and a cell in a window.
// burstline: board=de5net
#define WIDE 512
#define CELLS (WIDE * WIDE)
#define WINDOW (2 * WIDE + 1)

__kernel void hotspot(__global const float *restrict heat, __global const float *restrict power,
                      __global float *restrict out, float ratio)
{
    float window[WINDOW];
    #pragma unroll
    for (int k = 0; k < WINDOW; k++)
        window[k] = 0.0f;

    for (int i = 0; i < CELLS + WIDE; i++) {
        #pragma unroll
        for (int k = 0; k < WINDOW - 1; k++)
            window[k] = window[k + 1];
        window[WINDOW - 1] = i < CELLS ? heat[i] : 0.0f;

        int cell = i - WIDE;
        if (cell >= 0) {
            float here = window[WIDE];
            float around = window[0] + window[WIDE - 1] + window[WIDE + 1] + window[WINDOW - 1];
            out[cell] = here + ratio * (power[cell] + around - 4.0f * here);
        }
    }
}
