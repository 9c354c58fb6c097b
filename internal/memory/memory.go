// Package memory tells how much memory there is, and reads and writes amounts of
// it as people do: 512M, 2G.
package memory

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// Parse reads an amount of memory: a number of bytes, or one followed by K, M, G
// or T (powers of 1024; KB, KiB and so on mean the same).
func Parse(text string) (int64, error) {
	digits := strings.TrimRight(strings.TrimSpace(text), "KMGTBikmgtb ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(digits):]))
	number, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	unit = strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "I")
	power := strings.Index(" KMGT", unit)
	if unit == "" {
		power = 0
	}
	if err != nil || power < 0 || len(unit) > 1 || !(number > 0) {
		return 0, fmt.Errorf("%q is not an amount of memory such as 512M or 2G", text)
	}
	bytes := number * math.Pow(1024, float64(power))
	if bytes < 1<<20 {
		return 0, fmt.Errorf("%q is less than 1M, too little to work with", text)
	}
	if bytes >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is more than there can be", text)
	}
	return int64(bytes), nil
}

// Format writes an amount of memory as Parse reads it, rounded.
func Format(n int64) string {
	x := float64(n)
	for _, unit := range []string{"B", "K", "M", "G"} {
		if x < 1024 {
			return strconv.FormatFloat(x, 'g', 3, 64) + strings.TrimSuffix(unit, "B")
		}
		x /= 1024
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + "T"
}

// unknown is what is taken to be there, and free, where the system does not say.
const unknown = 4 << 30

// Default is what a program may use that was told nothing: half of what the machine has,
// as its control group and its own limit leave it, but at most three quarters of
// what is free.
func Default() int64 {
	all := listed("MemTotal:")
	if limit, err := number("/sys/fs/cgroup/memory.max"); err == nil {
		all = min(all, limit)
	}
	return allowance(min(all, limited()), Free())
}

func allowance(all, free int64) int64 { return min(all/2, free/4*3) }

// Free is how much memory is free for a program: what the system says is
// available, and no more than its control group and its own limit leave.
func Free() int64 {
	free := listed("MemAvailable:")
	limit, errLimit := number("/sys/fs/cgroup/memory.max")
	used, errUsed := number("/sys/fs/cgroup/memory.current")
	if errLimit == nil && errUsed == nil {
		free = min(free, max(limit-used, 0))
	}
	return min(free, limited())
}

// listed is an amount that the system lists.
func listed(name string) int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return unknown
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			if kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64); err == nil {
				return kb << 10
			}
		}
	}
	return unknown
}

func number(path string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}
