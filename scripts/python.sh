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
# The wheels of all platforms are built and checked with WHEELS=all; otherwise that of this machine, and that the program
# compiles for the others is left to `go test ./cmd/optcomplete -run Platforms`. Only linux is ever run here.
if [ "${WHEELS:-}" = all ]; then
  "$python" python/build_wheels.py -o "$work/dist" &
else
  "$python" python/build_wheels.py -o "$work/dist" --only "linux-$(go env GOARCH)" --only sdist &
fi
building=$!
$pip install pytest numpy pyarrow pandas polars scipy scikit-learn matplotlib tqdm rich joblib mypy nbclient nbformat ipykernel
wait $building
unset OPTCOMPLETE_BINARY PYTHONPATH
# The source distribution first: it builds the program with Go, and fits.
$pip install --no-index --no-deps "$work"/dist/optcomplete-*.tar.gz
(cd "$work" && venv/bin/python -c '
import numpy as np, optcomplete as oc
x = np.random.default_rng(0).random((9, 4))
assert oc.MatrixCompleter(k=1, gamma=1, model="paper").fit(x, x[:4, :3]).certificate_.status == "optimal"
print("the source distribution builds, and fits")')
$pip uninstall --yes optcomplete
$pip install --no-index --no-deps "$work"/dist/*manylinux*"$(uname -m)"*.whl
cp -r python/tests python/build_wheels.py "$work"
cp -r docs "$work/docs"
cd "$work" # so that the package is the installed one
venv/bin/python -m pytest -q -p no:cacheprovider tests "$@"
venv/bin/python -m mypy --config-file "$OLDPWD/python/pyproject.toml" -p optcomplete
