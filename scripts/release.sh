#!/usr/bin/env bash
# Builds the program for six platforms, with the wheels and the source distribution of the Python package where there is
# Python, and writes the checksums of all of them.
#
#   scripts/release.sh [FOLDER]      # default: dist
#
# The same commit and the same Go give the same bytes; `sha256sum -c SHA256SUMS` checks what was downloaded.
set -euo pipefail
out=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n 's/^const Version = "\(.*\)"$/\1/p' spec/*.go)
test -n "$version"
for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
	system=${platform%/*} machine=${platform#*/} extension=
	if [ "$system" = windows ]; then extension=.exe; fi
	CGO_ENABLED=0 GOOS=$system GOARCH=$machine go build -trimpath -ldflags="-s -w" \
		-o "$out/optcomplete-$version-$system-$machine$extension" ./cmd/optcomplete
done
python=${PYTHON:-python3}
if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
	"$python" python/build_wheels.py -o "$out"
else
	echo "release.sh: no wheels: $python is not there, or older than 3.10 (name another with PYTHON)" >&2
fi
cd "$out"
if command -v sha256sum >/dev/null; then sum=sha256sum; else sum="shasum -a 256"; fi
$sum optcomplete-"$version"[-.]* $(find . -maxdepth 1 -name "optcomplete-$(echo "$version" | sed s/-rc[.]/rc/)[-.]*" ! -name "optcomplete-$version[-.]*" | sed "s|^./||" | LC_ALL=C sort) | tee SHA256SUMS
