// What the vendor's compiler knows beyond OpenCL, as far as it matters to what a kernel does to global memory.
// A channel gives zeros and takes what is written to it, so that nothing that leads there is dead.
#define INTELFPGA_CL 1
#define ALTERA_CL 1
#define CLK_CHANNEL_MEM_FENCE 4
#define channel extern __constant
#define __burstline_taken(v) volatile __typeof__(({ v; })) burstline_taken = (v)
#define read_channel_intel(c) (c)
#define read_channel_altera(c) (c)
#define read_channel_nb_intel(c, valid) (*(valid) = true, (c))
#define read_channel_nb_altera(c, valid) (*(valid) = true, (c))
#define write_channel_intel(c, v) ({ __burstline_taken(v); })
#define write_channel_altera(c, v) ({ __burstline_taken(v); })
#define write_channel_nb_intel(c, v) ({ __burstline_taken(v); true; })
#define write_channel_nb_altera(c, v) ({ __burstline_taken(v); true; })
#define get_compute_id(d) 0
#define __fpga_reg(x) (x)
#define __burst_coalesced_load(p, ...) (*(p))
#define __prefetching_load(p) (*(p))
#define __pipelined_load(p) (*(p))
#define __burst_coalesced_store(p, v) (*(p) = (v))
#define __pipelined_store(p, v) (*(p) = (v))
