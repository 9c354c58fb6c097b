#!/usr/bin/env bash
# Builds the program and checks the R package against it: R CMD check --as-cran, which runs its examples, its tests and its
# vignette; then the examples of docs/r.md. Installs R and what the package needs from Debian's packages, where that is
# possible and they are not there.
#
# One note is accepted: that softImpute and cmfrec, which the vignette compares with, are not there (Debian has neither). Any
# other note, warning or error fails. Not checked, as it needs CRAN or an owner: the submission itself (the package is
# new, its licence is not chosen, its maintainer has no address), links to other packages' help, and the PDF manual.
set -euo pipefail
cd "$(dirname "$0")/.."

needed=(jsonlite processx data.table Matrix ggplot2 generics knitr rmarkdown testthat)
compared=(leaps glmnet bit64)
have() { command -v Rscript >/dev/null && Rscript -e 'for (p in commandArgs(TRUE)) loadNamespace(p)' "$@" >/dev/null 2>&1; }
if ! have "${needed[@]}" "${compared[@]}" && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  packages=(r-base-core pandoc qpdf)
  for p in "${needed[@]}" "${compared[@]}"; do packages+=("r-cran-${p,,}"); done
  { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}"; } >/dev/null 2>&1 || true
fi
if ! have "${needed[@]}"; then
  echo "r.sh: skipped: R with ${needed[*]} is not there, and cannot be installed here"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lib" "$work/cran/src/contrib" "$work/cran/web/packages"
unset OPTCOMPLETE_BINARY
# The program is the one that the package builds for itself.
export R_LIBS="$work/lib:${R_LIBS:-}" R_USER_DATA_DIR="$work/data" OMP_NUM_THREADS=2
R CMD INSTALL --library="$work/lib" --no-docs r >"$work/install.log" 2>&1 || { cat "$work/install.log"; exit 1; }
Rscript -e 'optcomplete::install_optcomplete("cmd/optcomplete")'
cp -r r docs scripts/r-docs.R "$work"
cd "$work"
# No network: an empty CRAN of its own answers what the check asks for.
Rscript -e 'saveRDS(matrix("", 0, 2, dimnames = list(NULL, c("Package", "Maintainer"))), "cran/web/packages/packages.rds")'
touch cran/src/contrib/PACKAGES
echo "options(repos = c(CRAN = 'file://$work/cran'))" >profile
export R_PROFILE_USER="$work/profile" R_CRAN_WEB="file://$work/cran"
export _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=false
export _R_CHECK_PACKAGE_DEPENDS_IGNORE_MISSING_ENHANCES_=true
R CMD build r >build.log 2>&1 || { cat build.log; exit 1; }
if ! R CMD check --as-cran --no-manual optcomplete_*.tar.gz >check.log 2>&1; then
  cat check.log optcomplete.Rcheck/tests/*.fail 2>/dev/null || true
  exit 1
fi
absent=$(sed -n '/^\* checking package dependencies \.\.\. NOTE/,/^\* checking if/p' check.log | sed '1d;$d' | sed "s/.*not available for checking://; s/[‘’',]//g" | xargs)
if grep -E '^[* ].*(NOTE|WARNING)$' check.log | grep -v '^\* checking package dependencies '; then
  absent=more
fi
for p in $absent; do
  case $p in
  softImpute | cmfrec) ;;
  *)
    cat check.log
    exit 1
    ;;
  esac
done
grep '^Status' check.log
grep -E '^\[ FAIL' optcomplete.Rcheck/tests/testthat.Rout
Rscript r-docs.R docs/r.md
