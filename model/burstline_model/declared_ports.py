"""What attributes say of the banks and ports of an array on the chip."""

from burstline_model.record import Record


class DeclaredPorts(Record):
    """What attributes fix of the memory that an array is built as; None of what they leave to the compiler.

    `bank_bytes` is what a bank gives at one of its ports (``bankwidth``), `replicates` how many copies of the memory
    serve reads at most; `pumps` is 2 where its clock is to be twice the kernel's.
    """

    banks: int | None = None
    bank_bytes: int | None = None
    reads: int | None = None
    writes: int | None = None
    replicates: int | None = None
    pumps: int | None = None
