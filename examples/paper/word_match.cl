// Word matching: every word is read once, a mark is written for each.

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(16)))
__kernel void word_match(__global const uint *restrict words, __global uint *restrict marks, const uint wanted)
{
    const int id = get_global_id(0);
    marks[id] = words[id] == wanted ? 1 : 0;
}
