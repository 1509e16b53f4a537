// burstline: global_size=(4096) pieces=24576000 board=de5net
// Word count: a table in local memory, the words of a piece in private memory.
#define PIECE 64
#define GROUP 256
#define BUCKETS 65536
#define OWN 4096
#define LETTER(c) ((c) >= 'a' && (c) <= 'z')
#define MIXED(word, c) (((word) << 5) + (word) + (c))

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
__kernel void wc_local_private(__global const uchar *restrict text, __global int *table, const int pieces)
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
        for (int i = 0; i < PIECE; i++) {
            const uchar c = text[piece * PIECE + i];
            if (LETTER(c)) {
                word = MIXED(word, c);
            } else if (word != 0) {
                words[count++] = word;
                word = 0;
            }
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
