// What the vendor's compiler knows beyond OpenCL, as far as kernels without channels need it to compile.
#define INTELFPGA_CL 1
#define ALTERA_CL 1
#define channel extern __constant
#define CLK_CHANNEL_MEM_FENCE 4
#define read_channel_intel(c) (c)
#define read_channel_altera(c) (c)
#define write_channel_intel(c, v) ((void)(v))
#define write_channel_altera(c, v) ((void)(v))
#define __fpga_reg(x) (x)
#define __burst_coalesced_load(p, ...) (*(p))
#define __prefetching_load(p) (*(p))
#define __pipelined_load(p) (*(p))
#define __burst_coalesced_store(p, v) (*(p) = (v))
#define __pipelined_store(p, v) (*(p) = (v))
