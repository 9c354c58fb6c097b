#!/bin/sh
# Installs the browser that the tests of the report use: Debian's chromium, by
# apt-get, where there is one and we may use it. A browser that is there already
# (also one named in OPTCOMPLETE_BROWSER) is left alone. Where none can be
# installed this says so and is no failure: those tests are then skipped.
set -u

for program in ${OPTCOMPLETE_BROWSER:-} chromium chromium-browser google-chrome google-chrome-stable; do
	if path=$(command -v "$program"); then
		printf '%-8s %-10s %s\n' browser found "$path"
		exit 0
	fi
done

skipped() {
	printf 'skipped: browser (%s)\n' "$1"
	exit 0
}

command -v apt-get >/dev/null || skipped "no apt-get here; install chromium by hand"
as=
if [ "$(id -u)" != 0 ]; then
	sudo -n true 2>/dev/null || skipped "needs root: sudo apt-get install chromium"
	as='sudo -n'
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
$as apt-get update -qq >"$log" 2>&1
# A second attempt: dpkg can fail on the order of a hundred packages at once.
for attempt in 1 2; do
	if DEBIAN_FRONTEND=noninteractive $as apt-get install -y -qq --no-install-recommends chromium >"$log" 2>&1; then
		break
	fi
done
path=$(command -v chromium) || skipped "apt-get install chromium: $(tail -n 1 "$log" | cut -c 1-200)"
printf '%-8s %-10s %s\n' browser installed "$path"
