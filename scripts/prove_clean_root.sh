#!/usr/bin/env bash
# Proves the commands of the README where nothing is installed yet: makes a minimal system in a temporary folder,
# copies this working tree into it and runs the commands there. Needs root.
#
#   scripts/prove_clean_root.sh [debian|ubuntu [commands...]]

source "$(dirname "$0")/internal/clean_root.sh"

system=${1:-debian}
commands=("${@:2}")
((${#commands[@]} > 0)) || commands=(./scripts/demo.sh ./scripts/test.sh)

# The files that git knows or would know, as they lie here.
copy_tree() {
  mkdir "$root/halyard"
  git ls-files -z --cached --others --exclude-standard |
    tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory "$root/halyard"
}

make_clean_root "$system"
step "Copy the working tree" clean-root-copy copy_tree
for command in "${commands[@]}"; do
  echo "== in the clean $system: $command"
  attempt run_inside /halyard "$command"
done
finish
