"""Units in the Verilog of a kernel file."""

from bench.scoreboard.generated_verilog import units_in

TEXT = """
module scale_basic_block_0
module scale_basic_block_1
lsu_top lsu_local_bb1_ld_ (
defparam lsu_local_bb1_ld_.WIDTH_BYTES = 4;
defparam lsu_local_bb1_ld_.READ = 1;
defparam lsu_local_bb1_ld_.ATOMIC = 0;
defparam lsu_local_bb1_ld_.USE_WRITE_ACK = 0;
defparam lsu_local_bb1_ld_.USECACHING = 1;
defparam lsu_local_bb1_ld_.ADDRSPACE = 1;
defparam lsu_local_bb1_ld_.STYLE = "BURST-NON-ALIGNED";
defparam lsu_local_bb1_ld__u0.WIDTH_BYTES = 4;
defparam lsu_local_bb1_ld__u0.READ = 1;
defparam lsu_local_bb1_ld__u0.ADDRSPACE = 3;
defparam lsu_local_bb1_ld__u0.STYLE = "PIPELINED";
module scale_basic_block_2
defparam lsu_local_bb2_st_.WIDTH_BYTES = 16;
defparam lsu_local_bb2_st_.READ = 0;
defparam lsu_local_bb2_st_.USE_WRITE_ACK = 1;
defparam lsu_local_bb2_st_.ADDRSPACE = 1;
defparam lsu_local_bb2_st_.STYLE = "BURST-COALESCED";
module quiet_basic_block_0
"""


def test_each_lsu_top_on_global_memory_is_a_unit() -> None:
    assert units_in(TEXT) == {
        "scale": {
            ("load", "Burst-coalesced non-aligned cached", 32): 1,
            ("store", "Burst-coalesced write-ack", 128): 1,
        },
        "quiet": {},
    }
