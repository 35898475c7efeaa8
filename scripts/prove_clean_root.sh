#!/usr/bin/env bash
# Proves the commands of the README where nothing is installed yet: makes a minimal system in a temporary folder,
# copies this working tree into it and runs the commands there. Needs root.
#
#   scripts/prove_clean_root.sh [debian|ubuntu [commands...]]
#
# The mirror is the one this machine's apt uses for that system; HALYARD_MIRROR names another.

source "$(dirname "$0")/internal/steps.sh"

system=${1:-debian}
commands=("${@:2}")
((${#commands[@]} > 0)) || commands=(./scripts/demo.sh ./scripts/test.sh)

case $system in
  debian) suite=bookworm components=main recipe=sid keyring=debian-archive-keyring ;;
  ubuntu) suite=noble components=main,universe recipe=gutsy keyring=ubuntu-archive-keyring ;;
  *) echo "It can be debian or ubuntu, not '$system'." >&2; exit 1 ;;
esac

((EUID == 0)) || { echo "Making a clean root needs root." >&2; exit 1; }

# Where this machine's apt gets the suite from; empty if it does not know it, so that debootstrap's own holds.
host_mirror() {
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' | awk -v suite="$suite" '$1 == suite { print $2; exit }'
}

install_debootstrap() {
  command -v debootstrap >/dev/null && return
  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends debootstrap
}

make_root() {
  local options=(--variant=minbase "--components=$components" --include=ca-certificates)
  local keys=/usr/share/keyrings/$keyring.gpg
  if [[ -f $keys ]]; then
    options+=("--keyring=$keys")
  else # as on Debian, which has no package with Ubuntu's keys
    options+=(--no-check-gpg)
  fi
  debootstrap "${options[@]}" "$suite" "$root" "$mirror" "/usr/share/debootstrap/scripts/$recipe" || return
  # How this machine reaches a mirror holds inside as well: names, proxies, certificates.
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$root/etc/apt/apt.conf.d/90host" || true
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
}

# The files that git knows or would know, as they lie here.
copy_tree() {
  mkdir "$root/halyard"
  git ls-files -z --cached --others --exclude-standard |
    tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory "$root/halyard"
}

# The mounts live in a namespace of their own and vanish with it, so nothing of them can be left behind.
run_inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" CI="${CI:-}" \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    unshare --mount bash -euc '
      mount -t proc proc "$0/proc"
      mount --rbind /dev "$0/dev"
      exec chroot "$0" bash -c "cd /halyard && exec $1"' "$root" "$1" </dev/null
}

mirror=${HALYARD_MIRROR:-$(host_mirror)}
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT

step "Get debootstrap" clean-root-tools install_debootstrap
step "Make a clean $system" clean-root make_root
step "Copy the working tree" clean-root-copy copy_tree
for command in "${commands[@]}"; do
  echo "== in the clean $system: $command"
  attempt run_inside "$command"
done
finish
