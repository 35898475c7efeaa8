# shellcheck shell=bash
# Sourced by the scripts that prove something where nothing is installed yet: makes a minimal system in a temporary
# folder, which is removed when the script ends, and runs commands in it. Needs root.
#
# The mirror is the one this machine's apt uses for that system; HALYARD_MIRROR names another.

source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

# make_clean_root debian|ubuntu: makes the system in the folder `root`.
make_clean_root() {
  local system=$1
  case $system in
    debian) suite=bookworm components=main recipe=sid keyring=debian-archive-keyring ;;
    ubuntu) suite=noble components=main,universe recipe=gutsy keyring=ubuntu-archive-keyring ;;
    *) echo "It can be debian or ubuntu, not '$system'." >&2; exit 1 ;;
  esac
  ((EUID == 0)) || { echo "Making a clean root needs root." >&2; exit 1; }
  root=$(mktemp -d)
  chmod 755 "$root" # it becomes the folder / of users who are not root
  trap 'rm -rf --one-file-system "$root"' EXIT
  step "Get debootstrap" clean-root-tools install_debootstrap
  step "Make a clean $system" clean-root make_root
}

install_debootstrap() {
  command -v debootstrap >/dev/null && return
  apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends debootstrap
}

# Where this machine's apt gets the suite from; empty if it does not know it, so that debootstrap's own holds.
host_mirror() {
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' | awk -v suite="$suite" '$1 == suite { print $2; exit }'
}

make_root() {
  local mirror=${HALYARD_MIRROR:-$(host_mirror)}
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

# run_inside FOLDER COMMAND: the mounts live in a namespace of their own and vanish with it, so nothing of them can be
# left behind.
run_inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM="${TERM:-dumb}" CI="${CI:-}" \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    unshare --mount bash -euc '
      mount -t proc proc "$0/proc"
      mount --rbind /dev "$0/dev"
      exec chroot "$0" bash -c "cd $1 && exec $2"' "$root" "$1" "$2" </dev/null
}
