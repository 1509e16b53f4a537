"""Public kernels are read with the build of their repository, and clang's word on them is its own."""

from pathlib import Path

import pytest
from bench.in_place import Compiler, repositories

from burstline_server.clang.library import library

KERNEL = '#include "size.h"\n__kernel void k(__global REAL *x) { x[0] = SIZE; }\n'


@pytest.mark.skipif(library() is None, reason="no libclang")
def test_a_file_is_read_in_its_place_with_its_build(tmp_path: Path) -> None:
    place = tmp_path / "one" / "device"
    (tmp_path / "one" / "inc").mkdir(parents=True)
    place.mkdir()
    (tmp_path / "one" / "inc" / "size.h").write_text("#define SIZE 4\n")
    path = place / "k.cl"
    path.write_text(KERNEL)
    (tmp_path / "one" / "Makefile").write_text("k.aocx:\n\taoc -DREAL=float -Iinc device/k.cl -o k.aocx\n")
    (repository,) = repositories(tmp_path)
    layers = repository.build_of(path, path.read_bytes())
    done = repository.assessor.assess(path.read_bytes(), str(path), layers)
    assert not done.faults
    assert Compiler().compiles(path, done.settings)
    without = repository.assessor.assess(path.read_bytes(), str(path), ())
    assert without.faults
    assert not Compiler().compiles(path, without.settings)
