# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package works in the main interpreter alone: threads of the library call back into one interpreter."""


def refuse_others() -> None:
    """Raises ImportError in a subinterpreter."""
    try:
        import _interpreters as interpreters  # Python 3.13
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:  # a Python without subinterpreters
            return
    if interpreters.get_current() != interpreters.get_main():
        raise ImportError("halyard works in the main interpreter alone and cannot be imported in a subinterpreter")
