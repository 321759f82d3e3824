#!/bin/sh
# Builds the image of deploy/Dockerfile without Docker and without a registry: mmdebstrap makes the base of Debian's packages, buildah does
# what the Dockerfile says. Leaves dist/stichkampf-image.tar, which `docker load` and `podman load` take, and whose programs
# deploy/image_check.py starts. As root, with the Debian packages mmdebstrap and buildah.
set -eu
umask 022
cd "$(dirname "$0")/.."

refuse() {
    printf 'image: %s\n' "$*" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || refuse "only root can build it here. As root: make image"
for program in mmdebstrap buildah; do
    command -v $program >/dev/null || refuse "$program is missing. As root: apt-get install --no-install-recommends mmdebstrap buildah"
done

mkdir -p dist var
WORK=$(mktemp --directory --tmpdir="$PWD/var" image.XXXXXX)
buildah() { command buildah --root "$WORK/images" --runroot "$WORK/run" "$@"; }
trap 'buildah umount --all >/dev/null 2>&1 || true; rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM

printf 'image: making the base of Debian packages\n'
# without what only people read, as in Debian's own small image
mmdebstrap --quiet --variant=minbase \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    bookworm "$WORK/base.tar"
base=$(buildah from scratch)
buildah add --quiet "$base" "$WORK/base.tar" / >/dev/null
buildah commit --quiet --rm "$base" localhost/base >/dev/null
rm "$WORK/base.tar"

# Packages are fetched in the way that this machine is set to. Neither file gets into the image.
secrets="--secret id=certificates,src=/etc/ssl/certs/ca-certificates.crt"
settings=${PIP_CONFIG_FILE:-/etc/pip.conf}
[ ! -f "$settings" ] || secrets="$secrets --secret id=pip,src=$settings"
printf 'image: building, which compiles the rules and takes minutes\n'
buildah build --quiet --isolation chroot --pull=never --format docker $secrets --build-arg BASE=localhost/base \
    --file deploy/Dockerfile --tag localhost/stichkampf . >"$WORK/log" 2>&1 || { tail -n 20 "$WORK/log" >&2; refuse "the Dockerfile could not be carried out"; }

rm -f dist/stichkampf-image.tar
buildah push --quiet localhost/stichkampf docker-archive:dist/stichkampf-image.tar:stichkampf:latest
printf 'image: dist/stichkampf-image.tar, %s MB\n' "$(($(wc -c <dist/stichkampf-image.tar) / 1000000))"
