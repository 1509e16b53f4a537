"""Units that each rule wins and loses in public vendor reports: ``python -m bench.scoreboard.evidence``."""

from burstline_model.compiler.lsu_rules.evidence import Evidence

RECORDED: dict[str, tuple[Evidence, ...]] = {
    "simple (simple)": (
        Evidence("arshansh/slambench", won=8, lost=0),
        Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=24, lost=0),
        Evidence("L30nardoSV/AutoDock-FPGA", won=23, lost=0),
        Evidence("mteverfresh/caffe-fpga-opencl", won=3, lost=0),
        Evidence("Xtra-Computing/On-the-fly-data-shuffling-for-OpenCL-based-FPGAs", won=2, lost=0),
    ),
    "streaming (streaming)": (
        Evidence("mkarpenkospb/clBool", won=2, lost=0),
        Evidence("mteverfresh/rnn-opencl", won=4, lost=0),
    ),
    "streaming (streaming_standard)": (
        Evidence("ChenChungKo/darknet", won=4, lost=0),
        Evidence("ChenChungKo/squeezenet", won=2, lost=0),
        Evidence("dh73/OpenCLue", won=3, lost=0),
        Evidence("hishamelreedy/innovatefpga-GestureRecognitionAccelerator", won=3, lost=0),
        Evidence("pahanmendis/AP116-The_Green_Machine-InnovateFPGA", won=2, lost=0),
    ),
    "semi-streaming (semi_streaming_whole)": (
        Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=45, lost=0),
        Evidence("fingersnail/fccm-ttm-experiments-vlab", won=3, lost=0),
        Evidence("L30nardoSV/AutoDock-FPGA", won=11, lost=0),
        Evidence("vkhristenko/test-regression", won=3, lost=0),
    ),
    "prefetching (prefetching)": (
        Evidence("Connie120/spMV", won=0, lost=3),
        Evidence("fingersnail/fccm-ttm-experiments-vlab", won=11, lost=0),
        Evidence("JoeRock1298/TFM", won=11, lost=0),
        Evidence("LeRatonLaveurSolitaire/A4-TP2_CPU_FPGA_OpenCL", won=1, lost=0),
        Evidence("OxfordSKA/FPGA_Gridding", won=28, lost=0),
        Evidence("rhvall/BiSUNA", won=1, lost=0),
        Evidence("SamyuelDanyo/OpenCLMachineLearningAcceleration", won=1, lost=0),
        Evidence("thinkoco/c5soc_opencl", won=1, lost=0),
        Evidence("vkhristenko/test-regression", won=1, lost=0),
    ),
    "prefetching (prefetching_nested)": (
        Evidence("arshansh/slambench", won=4, lost=0),
        Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=5, lost=0),
        Evidence("L30nardoSV/AutoDock-FPGA", won=11, lost=0),
        Evidence("redrob1n/SeniorDesign", won=1, lost=0),
    ),
    "prefetching (prefetching_shifted)": (Evidence("mkarpenkospb/clBool", won=15, lost=1),),
    "cached: nested loops (nested_unordered)": (Evidence("arshansh/slambench", won=91, lost=0),),
    "cached: nested loops (nested_early)": (
        Evidence("khrd/OpenCL-intelFPGA-", won=3, lost=0),
        Evidence("OxfordSKA/FPGA_Gridding", won=23, lost=0),
        Evidence("vkhristenko/test-regression", won=3, lost=0),
    ),
    "cached: nested loops (nested)": (
        Evidence("Connie120/CNN", won=737, lost=0),
        Evidence("haoxiaochen/t2sp", won=5, lost=0),
        Evidence("IntelLabs/t2sp", won=8, lost=0),
        Evidence("kenter/OpenCL-FPGA-examples", won=4, lost=0),
        Evidence("pc2/hpcc_fpga_eval", won=8, lost=0),
        Evidence("someoneinjd/t2sp", won=6, lost=0),
        Evidence("WenqiJiang/Intel-OpenCL-playground", won=3, lost=0),
    ),
    "cached: nested loops (nested_again)": (
        Evidence("Connie120/spMV", won=9, lost=0),
        Evidence("leifu00/FPGA-acceleration-of-epidemic-simulation", won=1, lost=0),
        Evidence("MartinKarp/Nekbone", won=45, lost=0),
        Evidence("someoneinjd/t2sp", won=8, lost=0),
    ),
    "cached: gathered (nested_gathered)": (
        Evidence("leifu00/FPGA-acceleration-of-epidemic-simulation", won=4, lost=0),
    ),
    "cached: irregular loop (irregular_loop)": (Evidence("OxfordSKA/FPGA_Gridding", won=2, lost=0),),
    "cached: irregular loop (again_in_loop)": (Evidence("MartinKarp/Nekbone", won=10, lost=0),),
    "cached: gathered (gathered)": (
        Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=105, lost=0),
        Evidence("L30nardoSV/AutoDock-FPGA", won=62, lost=0),
    ),
    "cached: work-items in a loop (shared_in_loop)": (
        Evidence("angelicadavila/FPGA_MEMORY_HLS", won=8, lost=0),
        Evidence("Connie120/CNN", won=12, lost=0),
        Evidence("DanielAbreuFernandez/eece-6540-labs", won=2, lost=0),
        Evidence("JoeRock1298/TFM", won=27, lost=0),
        Evidence("kenter/OpenCL-FPGA-examples", won=2, lost=0),
        Evidence("MartinKarp/Nekbone", won=12, lost=0),
    ),
    "cached: irregular work-items (items_gathered)": (
        Evidence("abelardojarab/ethminer", won=2, lost=0),
        Evidence("mkarpenkospb/clBool", won=2, lost=0),
    ),
    "cached: irregular work-items (items_decided)": (Evidence("mkarpenkospb/clBool", won=24, lost=0),),
    "cached: irregular work-items (items_irregular)": (Evidence("mkarpenkospb/clBool", won=5, lost=0),),
    "cached: work-items of a group (items_of_a_group)": (Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=6, lost=0),),
    "streaming (streaming_store)": (
        Evidence("mkarpenkospb/clBool", won=1, lost=0),
        Evidence("mteverfresh/rnn-opencl", won=3, lost=0),
        Evidence("SamyuelDanyo/OpenCLMachineLearningAcceleration", won=17, lost=0),
    ),
    "streaming (streaming_store_standard)": (
        Evidence("ChenChungKo/squeezenet", won=1, lost=0),
        Evidence("dh73/OpenCLue", won=2, lost=0),
        Evidence("hishamelreedy/innovatefpga-GestureRecognitionAccelerator", won=2, lost=0),
        Evidence("pahanmendis/AP116-The_Green_Machine-InnovateFPGA", won=0, lost=1),
    ),
    "write-ack (acknowledged)": (
        Evidence("angelicadavila/FPGA_MEMORY_HLS", won=21, lost=0),
        Evidence("Connie120/CNN", won=24, lost=0),
        Evidence("kenter/OpenCL-FPGA-examples", won=4, lost=0),
        Evidence("khrd/OpenCL-intelFPGA-", won=11, lost=1),
        Evidence("OxfordSKA/FPGA_Gridding", won=10, lost=0),
        Evidence("vkhristenko/test-regression", won=3, lost=2),
    ),
    "neighbours under different conditions": (Evidence("mkarpenkospb/clBool", won=104, lost=0),),
    "accesses of exclusive arms": (
        Evidence("mkarpenkospb/clBool", won=12, lost=5),
        Evidence("OxfordSKA/FPGA_Gridding", won=2, lost=0),
    ),
    "last stores of exclusive arms": (Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=7, lost=0),),
    "loads of exclusive arms in pairs": (Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=25, lost=1),),
    "streams of work-items apart": (Evidence("mkarpenkospb/clBool", won=51, lost=3),),
    "iterations of work-items interleave": (
        Evidence("Connie120/CNN", won=0, lost=20),
        Evidence("khrd/OpenCL-intelFPGA-", won=1, lost=0),
    ),
    "no cache in helper functions": (Evidence("vkhristenko/test-regression", won=9, lost=0),),
    "whole blocks": (
        Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=5, lost=0),
        Evidence("L30nardoSV/AutoDock-FPGA", won=7, lost=0),
        Evidence("liafalk/Altera_CrowdSim", won=2, lost=0),
    ),
    "store under a condition": (
        Evidence("arshansh/slambench", won=6, lost=0),
        Evidence("esa-tu-darmstadt/AutoDock-Aurora", won=20, lost=0),
    ),
}
