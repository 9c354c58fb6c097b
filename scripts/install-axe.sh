#!/bin/sh
# Installs axe-core, which looks for what people with a screen reader could not use, for the tests
# of the page: one file of npm's package, in .tools. Where npm is not here this says so and is
# no failure: that test is then skipped.
set -eu
cd "$(dirname "$0")/.."

version=4.10.3
if [ -f .tools/axe-core/axe.min.js ]; then
	printf '%-8s %-10s %s\n' axe found .tools/axe-core/axe.min.js
	exit 0
fi
command -v npm >/dev/null || { echo 'skipped: axe (no npm here)'; exit 0; }
mkdir -p .tools/axe-core
trap 'rm -f .tools/axe-core/*.tgz' EXIT
if (cd .tools/axe-core && npm pack --silent "axe-core@$version" >/dev/null && tar -xzf axe-core-"$version".tgz --strip-components 1 package/axe.min.js); then
	printf '%-8s %-10s %s\n' axe installed .tools/axe-core/axe.min.js
else
	echo 'skipped: axe (npm pack axe-core failed)'
fi
