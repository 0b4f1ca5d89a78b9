#!/bin/bash
# mk-arm64-sysroot.sh DIR: unpack Debian's arm64 packages into DIR, for cross builds and for
# qemu-aarch64. Reads the machine's own apt sources through a private apt state below DIR: neither
# the package database nor the list of architectures of the machine changes, and root is not needed.
set -euo pipefail

[ $# = 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
sysroot=$(realpath -m "$1")
apt_root=$sysroot/.apt
done_mark=$sysroot/.done-2 # counts up with what this script makes, so that older trees are made again
[ -f "$done_mark" ] && exit 0

packages=(libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-12-dev libstdc++6 libstdc++-12-dev
  libgomp1 libgfortran5 libopenblas0-openmp libopenblas-openmp-dev
  libhwloc15 libhwloc-dev libudev1 libbenchmark1debian libbenchmark-dev
  libomp-19-dev libomp5-19 libclang-rt-19-dev)

mkdir -p "$apt_root"/{etc/apt/{apt.conf.d,preferences.d,sources.list.d,trusted.gpg.d},debs} \
  "$apt_root"/var/{lib/apt/lists/partial,cache/apt/archives/partial,lib/dpkg}
: > "$apt_root/var/lib/dpkg/status"
cp -a /etc/apt/trusted.gpg.d/. "$apt_root/etc/apt/trusted.gpg.d/" 2>/dev/null || true
# How to download (proxies and the like) is the machine's business too.
apt-config dump | grep '^Acquire::' > "$apt_root/etc/apt/apt.conf.d/10acquire" || true
# Only the sources that serve Debian itself: others rarely carry arm64.
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  if [ -f "$f" ] && grep -qE '/debian(-security)?/?( |$)' "$f"; then
    cp "$f" "$apt_root/etc/apt/sources.list.d/"
  fi
done

private_apt() {
  apt-get -o Dir="$apt_root" -o Dir::State::status="$apt_root/var/lib/dpkg/status" \
    -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root \
    -o Acquire::Languages=none -o Acquire::Retries=3 -qq "$@"
}

private_apt update
(cd "$apt_root/debs" && private_apt download "${packages[@]}")
for deb in "$apt_root"/debs/*.deb; do dpkg-deb -x "$deb" "$sysroot"; done
# Absolute links would leave the tree: the linker then finds no libm.so and takes the static libm.
find "$sysroot" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -snfr "$sysroot$(readlink "$link")" "$link"
done
rm -rf "$apt_root"
touch "$done_mark"
