package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/data"
	"optcomplete/data/pack"
)

// inspection is what inspect prints.
type inspection struct {
	pack.Info
	Density   float64       `json:"density"`
	PerEntry  float64       `json:"bytes_per_entry"`
	Checksums string        `json:"checksums"` // verified, not verified or damaged
	Problem   string        `json:"problem,omitempty"`
	Profile   *data.Profile `json:"profile,omitempty"`
}

func inspectCommand(c *common) *cobra.Command {
	var quick, asJSON bool
	cmd := verb("inspect", func(cmd *cobra.Command, args []string) error {
		f, err := pack.OpenAny(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		found := inspection{Info: f.Info(), Checksums: "not verified"}
		if cells := float64(found.Rows) * float64(found.Columns); cells > 0 {
			found.Density = float64(found.Observed) / cells
		}
		if found.Observed > 0 {
			found.PerEntry = float64(found.Bytes) / float64(found.Observed)
		}
		var damage error
		if !quick {
			found.Profile, damage = data.NewProfile(cmd.Context(), f, threadsOf(c))
			if damage == nil {
				// Reading has checked every block that has rows; opening, all else.
				found.Checksums = "verified"
				damage = f.Close() // changed meanwhile?
			}
			if damage != nil {
				if cmd.Context().Err() != nil {
					return damage
				}
				found.Profile, found.Checksums, found.Problem = nil, "damaged", damage.Error()
			}
		}
		if asJSON {
			err = writeJSON(c.stdout, found)
		} else {
			err = printInspection(c.stdout, &found)
		}
		if damage != nil {
			return damage
		}
		return err
	})
	flags := flagsOf(cmd)
	flags.Bind("quick", &quick)
	flags.Bind("json", &asJSON)
	return cmd
}

func printInspection(w io.Writer, x *inspection) error {
	b := &strings.Builder{}
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("Pack", "%s, version %d, %s", x.Path, x.Version, byteSize(x.Bytes))
	line("Shape", "%s × %s", count(x.Rows, "row"), count(x.Columns, "column"))
	line("Observed", "%s, %s of the matrix", counted(x.Observed, "entry", "entries"), percent(x.Density))
	printValues(line, x)
	line("Stored", "%s; %.3g bytes an entry, ids and all", encodingText(x), x.PerEntry)
	line("Blocks", "%s of up to %s", grouped(x.Blocks), count(x.RowsPerBlock, "row"))
	switch x.Checksums {
	case "verified":
		line("Checksums", "all right, verified now")
	case "damaged":
		line("Checksums", "DAMAGED: the rest is not shown")
	default:
		line("Checksums", "those of the entries not verified (--quick)")
	}
	for _, key := range slices.Sorted(maps.Keys(x.Metadata)) {
		line("Metadata", "%s: %s", key, x.Metadata[key])
	}
	if p := x.Profile; p != nil {
		printSpread(b, "Entries per row", "rows", &p.PerRow)
		printSpread(b, "Entries per column", "columns", &p.PerColumn)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func encodingText(x *inspection) string {
	columns := fmt.Sprintf("columns in %d bytes", x.ColumnBytes)
	values := fmt.Sprintf("values in %d bytes (%s)", x.ValueBytes, x.Encoding)
	switch x.Encoding {
	case pack.Dictionary8, pack.Dictionary16:
		values = fmt.Sprintf("values in %s (one of %s)", count(x.ValueBytes, "byte"), grouped(len(x.Info.Values)))
	}
	if x.Weighted {
		values += ", weights in 8 bytes"
	}
	return columns + ", " + values
}

// printValues prints the range of the values, and each of them if they are few.
func printValues(line func(name, format string, args ...any), x *inspection) {
	if x.Observed == 0 {
		return
	}
	text := fmt.Sprintf("%.6g to %.6g", x.Min, x.Max)
	if x.Profile != nil {
		text += fmt.Sprintf(", mean %.6g", x.Profile.Mean)
	}
	if n := len(x.Info.Values); n > 0 {
		text += fmt.Sprintf(", %s", counted(n, "distinct value", "distinct values"))
	}
	line("Values", "%s", text)
	if x.Profile == nil || len(x.Profile.Values) > 20 {
		return
	}
	for _, v := range x.Profile.Values {
		line("", "%10.6g  %6s  %s", v.Value, percent(float64(v.Count)/float64(x.Observed)), bar(v.Count, x.Observed))
	}
}

// printSpread prints a histogram of counts.
func printSpread(w io.Writer, title, what string, s *data.Spread) {
	if len(s.Bins) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: %s to %s, median %s, mean %.4g\n", title, grouped(s.Min), grouped(s.Max), trimmed(s.Median), s.Mean)
	fmt.Fprintf(w, "  %17s  %11s\n", "entries", what)
	most := 0
	for _, bin := range s.Bins {
		most = max(most, bin.Count)
	}
	for _, bin := range s.Bins {
		name := grouped(bin.From)
		if bin.To > bin.From {
			name += "–" + grouped(bin.To)
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %17s  %11s  %s", name, grouped(bin.Count), bar(bin.Count, most)), " "))
	}
}

// bar draws a part of a whole, at most 40 wide; what is not nothing shows.
func bar(part, whole int) string {
	return strings.Repeat("█", int(math.Ceil(40*float64(part)/float64(whole))))
}

// trimmed prints a median: a whole number or a half.
func trimmed(x float64) string {
	if x == math.Trunc(x) {
		return grouped(int(x))
	}
	return fmt.Sprintf("%.1f", x)
}

// byteSize prints a number of bytes for people.
func byteSize(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	x, unit := float64(n), 0
	for x >= 999.5 && unit < len(units)-1 {
		x, unit = x/1000, unit+1
	}
	return fmt.Sprintf("%.3g %s", x, units[unit])
}
