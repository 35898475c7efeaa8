# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import struct
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent


@pytest.mark.parametrize("uri", ["local://sync", "local://task"])
def test_scale_and_plot(tmp_path, uri):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    picture = tmp_path / "saxpy.png"
    command = [sys.executable, str(FOLDER / "scale_and_plot.py"), uri, str(picture)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 8 and "4194304 elements" in done.stdout
    image = picture.read_bytes()
    assert image[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", image[16:24]) == (600, 400)
