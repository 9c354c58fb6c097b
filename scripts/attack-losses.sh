#!/usr/bin/env bash
# Runs attack-losses.py, which needs mpmath, in a fresh virtual environment: on 60 tables, or on those given as its first
# and the one after its last. Ends with exit code 1 if the program was wrong once.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$python" -m venv "$work/venv" 2>/dev/null || ! timeout 60 "$work/venv/bin/pip" --quiet --disable-pip-version-check install mpmath; then
  echo "attack-losses.sh: skipped: no Python (name one with PYTHON), or pip has no network"
  exit 0
fi
go build -o "$work/optcomplete" ./cmd/optcomplete
"$work/venv/bin/python" scripts/attack-losses.py "$work/optcomplete" "${1:-0}" "${2:-60}"
