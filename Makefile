# The two commands of the README are `go run ./cmd/optcomplete demo` and
# `go test ./...`; the rest is here.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: soak check format vet staticcheck test exact race build bench generate settings manual python release r

# check is what CI runs.
check: format vet staticcheck build test exact race

format:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi

vet:
	go vet ./...
	go -C tools/browser vet ./...

staticcheck:
	go run $(STATICCHECK) ./...
	cd tools/browser && go run $(STATICCHECK) ./...

# One static binary, without C; and that the plain Go kernels compile elsewhere.
build:
	CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o optcomplete ./cmd/optcomplete
	GOARCH=arm64 go vet ./internal/kernel ./internal/random ./objective ./data/pack
	go test -tags purego ./internal/kernel ./internal/random ./objective ./data/pack

# The reports in a browser are tested from a module of their own: nobody else needs what drives it.
test:
	go test ./...
	go -C tools/browser test ./...

# The certificate against brute force, on thousands of random instances, and of
# nasty ones against 700-bit arithmetic: EXACT of each kind, with figures.
EXACT ?= 1000
exact:
	go test ./search ./objective -rapid.checks=2000
	OPTCOMPLETE_ATTACK=$(EXACT) go test ./internal/exact -count=1 -v -timeout 120m
	OPTCOMPLETE_ATTACK=$(EXACT) go test ./regress -run TestNasty -count=1 -v

# An attack of SOAK_TIME seconds on everything; prints figures for docs/notes/reliability.md.
SOAK_TIME ?= 3600
soak:
	SOAK_TIME=$(SOAK_TIME) scripts/soak.sh

# Without what runs whole programs one after the other: it takes long and shares nothing.
race:
	go test -race -short -skip 'TestScripts|TestManual|TestGolden|TestOrderAnd|TestSettingsThatDoNothing|TestKilled|TestCrafted|TestAttack' ./...

# The tables of docs/notes/benchmarks.md.
bench:
	go test -run '^$$' -bench 'PaperRows|Pass' -benchtime 3x . ./objective | scripts/study.py benchmarks

generate:
	go generate ./internal/kernel ./internal/random ./data/pack

# The golden files of the command line, docs/settings.md, the arguments of the Python and R packages and the README's demo.
settings:
	go test ./cmd/optcomplete -timeout 600s -run 'Settings|Golden' -update

# The Python package: its wheels, and its tests in a fresh virtual environment.
python:
	scripts/python.sh

# The program for six platforms and the wheels, with checksums, in dist/.
release:
	scripts/release.sh

# The R package: R CMD check with its tests and its vignette, and the page of the manual.
r:
	scripts/r.sh

# What the commands of the manual print.
manual:
	go test ./cmd/optcomplete -run Manual -update
