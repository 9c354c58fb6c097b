#!/bin/sh
# Installs the external MILP solvers the tests and benchmarks use:
#
#   cbc, glpk   by apt-get, where there is one and we may use it
#   highs       from the Python package highsbox, by pip, into a local folder
#
# The local folder is $OPTCOMPLETE_SOLVERS, or .tools at the root of the
# checkout (git-ignored), where the tests look. For optcomplete to find the
# programs there, set OPTCOMPLETE_SOLVERS to it; nothing else makes it look.
# What is there already is left alone. What cannot be installed is reported as
# "skipped: ..." and is no failure: the embedded solver needs none of them.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
tools=${OPTCOMPLETE_SOLVERS:-$root/.tools}
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# says NAME STATE DETAIL
says() { printf '%-6s %-10s %s\n' "$1" "$2" "$3"; }

skipped() { printf 'skipped: %s (%s)\n' "$1" "$2"; }

# The last line of a failed command says the most.
reason() { tail -n 1 "$log" | cut -c 1-200; }

updated=no
apt_install() { # NAME PROGRAM PACKAGE
	if path=$(command -v "$2"); then
		says "$1" found "$path"
		return
	fi
	if ! command -v apt-get >/dev/null; then
		skipped "$1" "no apt-get here; install $2 by hand"
		return
	fi
	as=
	if [ "$(id -u)" != 0 ]; then
		if ! sudo -n true 2>/dev/null; then
			skipped "$1" "needs root: sudo apt-get install $3"
			return
		fi
		as='sudo -n'
	fi
	if [ $updated = no ]; then
		updated=yes
		$as apt-get update -qq >"$log" 2>&1 || printf 'apt-get update failed: %s\n' "$(reason)"
	fi
	if DEBIAN_FRONTEND=noninteractive $as apt-get install -y -qq "$3" >"$log" 2>&1 && path=$(command -v "$2"); then
		says "$1" installed "$path"
	else
		skipped "$1" "apt-get install $3: $(reason)"
	fi
}

pip_command() {
	for python in python3 python; do
		if "$python" -m pip --version >/dev/null 2>&1; then
			echo "$python -m pip"
			return
		fi
	done
	return 1
}

install_highs() {
	if [ -x "$tools/bin/highs" ] && "$tools/bin/highs" --version >/dev/null 2>&1; then
		says highs found "$tools/bin/highs"
		return
	fi
	if path=$(command -v highs); then
		says highs found "$path"
		return
	fi
	if ! pip=$(pip_command); then
		skipped highs "no pip here"
		return
	fi
	mkdir -p "$tools/bin" || {
		skipped highs "cannot write to $tools"
		return
	}
	if ! $pip install --quiet --disable-pip-version-check --no-input --upgrade --target "$tools/highsbox" highsbox >"$log" 2>&1; then
		skipped highs "pip install highsbox: $(reason)"
		return
	fi
	# The program finds its libraries only when told where they are.
	cat >"$tools/bin/highs" <<'WRAPPER'
#!/bin/sh
dist=$(CDPATH='' cd -- "$(dirname -- "$0")/../highsbox/highsbox/highs_dist" && pwd) || exit 127
LD_LIBRARY_PATH="$dist/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
DYLD_LIBRARY_PATH="$dist/lib${DYLD_LIBRARY_PATH:+:$DYLD_LIBRARY_PATH}"
export LD_LIBRARY_PATH DYLD_LIBRARY_PATH
exec "$dist/bin/highs" "$@"
WRAPPER
	chmod +x "$tools/bin/highs"
	if "$tools/bin/highs" --version >"$log" 2>&1; then
		says highs installed "$tools/bin/highs"
	else
		rm -f "$tools/bin/highs"
		skipped highs "the installed program does not run: $(reason)"
	fi
}

apt_install cbc cbc coinor-cbc
apt_install glpk glpsol glpk-utils
install_highs
exit 0
