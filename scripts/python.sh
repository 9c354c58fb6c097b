#!/usr/bin/env bash
# Builds the wheels of the Python package, installs the one of this machine into a fresh virtual environment and runs the
# tests, the tutorial, the notebook and the type checker there. What is given is handed to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "python.sh: skipped: $python is not there, or older than 3.10 (name another with PYTHON)"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
pip="$work/venv/bin/pip --quiet --disable-pip-version-check"
if ! timeout 60 $pip download --no-deps -d "$work/try" wheel >/dev/null 2>&1; then
  echo "python.sh: skipped: pip has no network"
  exit 0
fi
# All wheels are built with WHEELS=all; otherwise the one of this machine, and the other programs are only type-checked.
if [ "${WHEELS:-}" = all ]; then
  "$python" python/build_wheels.py -o "$work/dist" &
else
  "$python" python/build_wheels.py -o "$work/dist" --only "linux-$(go env GOARCH)" &
fi
building=$!
$pip install pytest numpy pyarrow pandas polars scipy scikit-learn matplotlib tqdm rich joblib mypy nbclient nbformat ipykernel
wait $building
$pip install --no-index --no-deps "$work"/dist/*manylinux*"$(uname -m)"*.whl
unset OPTCOMPLETE_BINARY PYTHONPATH
cp -r python/tests "$work/tests"
cp -r docs "$work/docs"
cd "$work" # so that the package is the installed one
venv/bin/python -m pytest -q -p no:cacheprovider tests "$@"
venv/bin/python -m mypy --config-file "$OLDPWD/python/pyproject.toml" -p optcomplete
