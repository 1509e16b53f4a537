// burstline: global_size=(4096) pieces=24576000 board=de5net
// Word count: a table in local memory, words in private memory, sixteen letters a load, by UNITS compute units.
#define PIECE 64
#define GROUP 256
#define BUCKETS 65536
#define OWN 4096
#ifndef UNITS
#define UNITS 1
#endif
#define LETTER(c) ((c) >= 'a' && (c) <= 'z')
#define MIXED(word, c) (((word) << 5) + (word) + (c))
// The next letter, and four of them.
#define NEXT(part, k)                           \
    {                                           \
        const uchar c = (part) >> 8 * (k);      \
        if (LETTER(c)) {                        \
            word = MIXED(word, c);              \
        } else if (word != 0) {                 \
            words[count++] = word;              \
            word = 0;                           \
        }                                       \
    }
#define FOUR(part) NEXT(part, 0) NEXT(part, 1) NEXT(part, 2) NEXT(part, 3)

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
__attribute__((num_compute_units(UNITS)))
__kernel void wc_local_private_vector(__global const uint4 *restrict text, __global int *table, const int pieces)
{
    __local uint keys[OWN];
    __local int counts[OWN];
    const int own = get_local_id(0);
    for (int b = own; b < OWN; b += GROUP)
        counts[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int piece = get_global_id(0); piece < pieces; piece += get_global_size(0)) {
        uint words[PIECE / 2];
        uint word = 0;
        int count = 0;
        for (int i = 0; i < PIECE / 16; i++) {
            const uint4 letters = text[piece * (PIECE / 16) + i];
            FOUR(letters.x)
            FOUR(letters.y)
            FOUR(letters.z)
            FOUR(letters.w)
        }
        for (int w = 0; w < count; w++) { // burstline: trip=11
            const uint own_word = words[w];
            keys[own_word % OWN] = own_word;
            atomic_inc(&counts[own_word % OWN]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = own; b < OWN; b += GROUP)
        atomic_add(&table[keys[b] % BUCKETS], counts[b]);
}
