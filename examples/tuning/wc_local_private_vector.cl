// burstline: global_size=(24576000) board=de5net
// Word count: staged pieces, words in private memory, sixteen letters a load, by UNITS compute units.
#define PIECE 64
#define GROUP 256
#define BUCKETS 65536
#ifndef UNITS
#define UNITS 1
#endif
#define LETTER(c) ((c) >= 'a' && (c) <= 'z')
#define MIXED(word, c) (((word) << 5) + (word) + (c))

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
__attribute__((num_compute_units(UNITS)))
__kernel void wc_local_private_vector(__global const uint4 *restrict text, __global int *table)
{
    __local uint4 staged[GROUP * PIECE / 16];
    const int own = get_local_id(0), first = get_group_id(0) * GROUP * PIECE / 16;
    #pragma unroll 1
    for (int i = 0; i < PIECE / 16; i++)
        staged[i * GROUP + own] = text[first + i * GROUP + own];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint words[PIECE / 2], word = 0;
    int count = 0;
    for (int i = 0; i < PIECE; i++) {
        const uchar c = ((__local const uchar *)staged)[own * PIECE + i];
        if (LETTER(c)) {
            word = MIXED(word, c);
        } else if (word != 0) {
            words[count++] = word;
            word = 0;
        }
    }
    for (int w = 0; w < count; w++) // burstline: trip=11
        atomic_inc(&table[words[w] % BUCKETS]);
}
