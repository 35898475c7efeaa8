#!/usr/bin/env python3
"""Prints `KEY FILE` for each source file named on the command line.

The key stands for all that clang-tidy's answer depends on: the file, what it includes, its flags, the checks and the
compilers. It is `-` for a file that the build in the given folder has not compiled, whose includes are unknown. Sources
that were compiled as one count as including what any of them includes.

  tidy_keys.py BUILD COMMANDS VERSIONS FILES...
"""

import hashlib
import json
import pathlib
import subprocess
import sys


def included_files(build):
    """What ninja knows of each compiled source: {source: [files]}, as paths of this machine."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True).stdout
    found = {}
    for block in listing.split("\n\n"):
        files = {pathlib.Path(build, line.strip()).resolve() for line in block.splitlines()[1:] if line.startswith(" ")}
        sources = {file for file in files if file.suffix in (".cpp", ".c", ".cxx")}
        for source in sources:
            found[source] = sorted(files - sources | {source})
    return found


def main(build, commands, versions, names):
    hashes = {}

    def hash_of(path):
        if path not in hashes:
            hashes[path] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "gone"
        return hashes[path]

    root = pathlib.Path.cwd()
    included = included_files(build)
    flags = {pathlib.Path(entry["file"]): entry["command"].replace(str(root), "")
             for entry in json.loads(pathlib.Path(commands, "compile_commands.json").read_text())}
    common = versions + hash_of(root / ".clang-tidy")
    for name in names:
        source = (root / name).resolve()
        if source not in included or source not in flags:
            print("-", name)
            continue
        # The headers of the system are told by their paths and contents, ours by their place in this folder.
        parts = [f"{str(f).removeprefix(str(root))} {hash_of(f)}" for f in included[source] if f.suffix not in (".gch", ".pch")]
        print(hashlib.sha256("\n".join([common, flags[source], *parts]).encode()).hexdigest(), name)


main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
