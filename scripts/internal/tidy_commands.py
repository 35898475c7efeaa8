#!/usr/bin/env python3
"""Writes the compile commands that clang-tidy reads: one for each source, without precompiled headers.

The build compiles the sources of a folder as one, in a file that includes them. Its command holds for each of them.

  tidy_commands.py BUILD FOLDER
"""

import json
import pathlib
import re
import sys

PRECOMPILED = re.compile(r" -Winvalid-pch| -fpch-preprocess| -include [^ ]*cmake_pch\.hxx")
INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def sources_of(entry):
    path = pathlib.Path(entry["file"])
    return INCLUDED.findall(path.read_text()) if path.parent.name == "Unity" else [entry["file"]]


def main(build, folder):
    commands = []
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        command = PRECOMPILED.sub("", entry["command"])
        for source in sources_of(entry):
            commands.append(entry | {"command": command.replace(entry["file"], source), "file": source})
    pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(commands, indent=0))


main(sys.argv[1], sys.argv[2])
