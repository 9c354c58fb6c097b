// Package memory knows how much memory there is, and how people write amounts
// of it.
package memory

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// Unknown is what Free takes for free where the system does not tell.
const Unknown = 2 << 30

// Free is how many bytes a process can still take without pushing others out.
func Free() int64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return Unknown
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, ok := bytes.CutPrefix(lines.Bytes(), []byte("MemAvailable:")); ok {
			var kib int64
			if _, err := fmt.Sscan(string(rest), &kib); err == nil && kib > 0 {
				return min(kib<<10, groupFree())
			}
		}
	}
	return Unknown
}

// groupFree is what the control group of the process, if it has one, leaves.
func groupFree() int64 {
	number := func(path string) (int64, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number
	}
	most, err := number("/sys/fs/cgroup/memory.max")
	if err != nil {
		return math.MaxInt64
	}
	used, err := number("/sys/fs/cgroup/memory.current")
	if err != nil {
		return most
	}
	return max(most-used, 64<<20)
}

// Bytes is an amount of memory that is a flag: 512M, 2G, 1.5GiB or a plain
// number of bytes. Units are powers of 1024.
type Bytes int64

var units = []string{"", "K", "M", "G", "T"}

// Set reads an amount.
func (b *Bytes) Set(text string) error {
	word := strings.ToUpper(strings.TrimSpace(text))
	word = strings.TrimSuffix(strings.TrimSuffix(word, "B"), "I")
	scale := 1.0
	for at, unit := range units {
		if unit != "" && strings.HasSuffix(word, unit) {
			word, scale = strings.TrimSpace(strings.TrimSuffix(word, unit)), math.Pow(1024, float64(at))
		}
	}
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || !(n*scale >= 1) || n*scale > 1<<60 {
		return fmt.Errorf("it must be an amount such as 512M or 2G")
	}
	*b = Bytes(n * scale)
	return nil
}

// String writes an amount as Set reads it; "" for none.
func (b *Bytes) String() string {
	if *b == 0 {
		return ""
	}
	n, at := int64(*b), 0
	for n%1024 == 0 && at+1 < len(units) {
		n, at = n/1024, at+1
	}
	return strconv.FormatInt(n, 10) + units[at]
}

// Type is the kind of the flag, for its help.
func (b *Bytes) Type() string { return "bytes" }
