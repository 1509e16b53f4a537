// burstline: global_size=(4096) pieces=24576000 board=de5net
// Word count, as a map and a reduction: work-items find the words of one piece of the text after the other, list them in
// global memory, then count them in a table that all share.
#define PIECE 64
#define GROUP 256
#define BUCKETS 65536
#define LETTER(c) ((c) >= 'a' && (c) <= 'z')
#define MIXED(word, c) (((word) << 5) + (word) + (c))

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
__kernel void wc_baseline(__global const uchar *restrict text, __global uint *restrict words, __global int *table,
                          const int pieces)
{
    for (int piece = get_global_id(0); piece < pieces; piece += get_global_size(0)) {
        uint word = 0;
        int count = 0;
        for (int i = 0; i < PIECE; i++) {
            const uchar c = text[piece * PIECE + i];
            if (LETTER(c)) {
                word = MIXED(word, c);
            } else if (word != 0) {
                words[piece * (PIECE / 2) + count++] = word;
                word = 0;
            }
        }
        for (int w = 0; w < count; w++) // burstline: trip=11
            atomic_inc(&table[words[piece * (PIECE / 2) + w] % BUCKETS]);
    }
}
