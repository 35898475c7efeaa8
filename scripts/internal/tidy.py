#!/usr/bin/env python3
"""Runs clang-tidy over the source files named on the command line, except those that passed and have not changed.

A file's key stands for all that the answer depends on: the file, what it includes, its flags, the checks and the
compilers. The cache is a folder with an empty file for each key that passed; an empty name means none.

The build compiles the sources of a folder as one. If several of them need a check, they are checked as one too, which
takes a fifth of the time. Fewer are checked each by itself, which also finds a missing include. Precompiled headers are
left out everywhere.

  tidy.py BUILD COMMANDS CACHE CLANG_TIDY JOBS FILES...     BUILD is configured; COMMANDS is a folder to write to
"""

import collections
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys

PRECOMPILED = re.compile(r" -Winvalid-pch| -fpch-preprocess| -include [^ ]*cmake_pch\.hxx")
INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)
AS_ONE = 4  # from so many files of a folder on

COMBINED = "--checks=-bugprone-suspicious-include"  # of sources, which is how they are combined


def write_commands(build, folder):
    """Returns {source: command} and {source: the file that includes it}, and writes the former for clang-tidy."""
    commands, units = {}, {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        path, command = entry["file"], PRECOMPILED.sub("", entry["command"])
        commands[path] = entry | {"command": command}
        if pathlib.Path(path).parent.name != "Unity":
            continue
        for source in INCLUDED.findall(pathlib.Path(path).read_text()):
            commands[source] = entry | {"command": command.replace(path, source), "file": source}
            units[source] = path
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    pathlib.Path(folder, "compile_commands.json").write_text(json.dumps(list(commands.values()), indent=0))
    return {path: entry["command"] for path, entry in commands.items()}, units


def included_files(build):
    """What ninja knows of each compiled source: {source: [files]}. Sources compiled as one include what any includes."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True).stdout
    found = {}
    for block in listing.split("\n\n"):
        files = {pathlib.Path(build, line.strip()).resolve() for line in block.splitlines()[1:] if line.startswith(" ")}
        sources = {file for file in files if file.suffix in (".cpp", ".c", ".cxx")}
        for source in sources:
            found[source] = sorted(files - sources | {source})
    return found


def make_keys(build, commands, versions, sources):
    """Returns {source: key}, without a key for a file that the build has not compiled, whose includes are unknown."""
    hashes, keys, root = {}, {}, str(pathlib.Path.cwd())

    def hash_of(path):
        if path not in hashes:
            hashes[path] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "gone"
        return hashes[path]

    included = included_files(build)
    common = versions + hash_of(pathlib.Path(root, ".clang-tidy")) + hash_of(pathlib.Path(__file__).resolve())
    for source in sources:
        files = included.get(pathlib.Path(source))
        if files is None or source not in commands:
            continue
        # The headers of the system are told by their paths and contents, ours by their place in this folder.
        parts = [f"{str(f).removeprefix(root)} {hash_of(f)}" for f in files if f.suffix not in (".gch", ".pch")]
        text = "\n".join([common, commands[source].replace(root, ""), *parts])
        keys[source] = hashlib.sha256(text.encode()).hexdigest()
    return keys


def make_jobs(sources, units):
    """Returns [(the sources that a job checks, the file to check, options of clang-tidy)], the longest first."""
    groups = collections.defaultdict(list)
    for source in sources:
        groups[units.get(source, source)].append(source)
    jobs = []
    for unit, files in sorted(groups.items(), key=lambda group: -len(group[1])):
        if len(files) < AS_ONE:
            jobs += [([file], file, []) for file in files]
        else:
            jobs.append((files, unit, [COMBINED]))
    return jobs


def main(build, folder, cache, clang_tidy, jobs, names):
    sources = [str(pathlib.Path(name).resolve()) for name in names]
    commands, units = write_commands(build, folder)
    versions = "".join(subprocess.run([program, "--version"], capture_output=True, text=True).stdout
                       for program in (clang_tidy, "c++"))
    keys = make_keys(build, commands, versions, sources)
    passed = pathlib.Path(cache) if cache else None
    if passed:
        passed.mkdir(parents=True, exist_ok=True)
        sources = [source for source in sources if source not in keys or not (passed / keys[source]).exists()]

    def check(job):
        sources, file, options = job
        # The flags are GCC's, some of which clang does not know.
        run = subprocess.run([clang_tidy, "--quiet", "-p", folder, "--warnings-as-errors=*",
                              "--extra-arg=-Wno-unknown-warning-option", *options, file],
                             capture_output=True, text=True)
        print(run.stdout, end="", flush=True)
        if run.returncode != 0:
            print(run.stderr, end="", flush=True)
            return False
        for source in sources:
            if passed and source in keys:
                (passed / keys[source]).touch()
        return True

    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        return 0 if all(list(pool.map(check, make_jobs(sources, units)))) else 1


sys.exit(main(*sys.argv[1:6], sys.argv[6:]))
