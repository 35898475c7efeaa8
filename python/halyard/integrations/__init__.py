# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other projects on Halyard. Each module imports the project that it is for."""
