# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

os.environ["CACHELEVEL"] = "0"  # tinygrad's cache of compiled kernels lies in the home folder
os.environ.setdefault("CCACHE", "0")
