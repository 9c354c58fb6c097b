package encode

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"optcomplete/data"
)

const (
	// fewestBlanks is the least number of blanks worth a feature "NAME missing".
	fewestBlanks = 5
	// longTail is the skewness, to either side, from which on a transform is
	// suggested.
	longTail = 3
)

// shape decides which features the field becomes, from the cells of the items
// used. A field that cannot become any is no longer used.
func (d *draft) shape(file string, all Options) error {
	switch d.field.Type {
	case Numeric, Indicator:
		return d.shapeNumbers(file)
	case Date:
		parts := d.options.Parts
		if len(parts) == 0 {
			parts = []string{string(Year), string(Month)}
		}
		for _, part := range parts {
			d.features = append(d.features, Feature{Name: d.field.Name + " " + part, Part: Part(part)})
		}
	case Text, List:
		d.shapeLevels(all)
	}
	return nil
}

func (d *draft) shapeLevels(all Options) {
	most := d.options.MaxLevels
	if most == 0 {
		most = all.MaxLevels
	}
	counts := d.field.tally(d.texts)
	d.report.Levels, d.report.Holds = len(counts), describeLevels(counts)
	d.field.pool(counts, most, leastItems(all.MinShare, len(d.texts)))
	if covered := d.field.covered(d.texts); covered < leastCovered && d.options.Type == Auto && d.options.Separator == "" {
		d.note("too many levels: the frequent ones are in %.0f %% of the filled cells (type=%s keeps it)", 100*covered, d.field.Type)
		d.field.Type, d.report.Type, d.used = FreeText, FreeText, false
		return
	}
	if n := len(d.field.Pooled); n > 0 {
		d.note("%s pooled into %s", plural(n, "rare level"), data.Quote(d.field.Name+"="+otherLevel))
	}
	if same := sameButCase(counts); len(same) > 0 {
		d.report.warn("has levels that differ in upper and lower case only: %s", strings.Join(same[:min(len(same), 3)], "; "))
	}
	switch {
	case d.field.Separator == brackets:
		d.note("lists in brackets")
	case d.field.Type == List:
		d.note("lists, separated by %s", data.Quote(d.field.Separator))
	}
	d.features = append(d.features, d.field.levelFeatures()...)
}

func (d *draft) shapeNumbers(file string) error {
	if d.field.Transform == Log {
		if err := d.chooseLog(file); err != nil {
			return err
		}
	}
	d.report.Transform = d.field.Transform
	switch d.field.Transform {
	case None:
		d.features = append(d.features, Feature{Name: d.field.Name, Part: Value})
	case Log, Log1p:
		d.features = append(d.features, Feature{Name: "log " + d.field.Name, Part: Value})
	case Bins:
		if err := d.chooseEdges(file); err != nil {
			return err
		}
		for b := range len(d.field.Edges) + 1 {
			d.features = append(d.features, Feature{Name: d.field.Name + " " + interval(d.field.Edges, b), Part: Bin, Bin: b})
		}
	}
	return nil
}

// plain reads the filled cells as numbers, without the transform.
func (d *draft) plain(file string) ([]float64, error) {
	plain := d.field
	plain.Transform = None
	var c cell
	var out []float64
	for i, text := range d.texts {
		if wrong := plain.read(text, &c); wrong != nil {
			return nil, wrong.in(file, d.lines[i], d.field.Name)
		}
		if !c.blank {
			out = append(out, c.number)
		}
	}
	return out, nil
}

// chooseLog takes ln x where that is natural: all positive, and no counts, of
// which a new item may have none. Else ln(1+x).
func (d *draft) chooseLog(file string) error {
	numbers, err := d.plain(file)
	if err != nil {
		return err
	}
	positive, whole := true, true
	for _, x := range numbers {
		positive = positive && x > 0
		whole = whole && x == math.Trunc(x)
	}
	if !positive || whole {
		d.field.Transform = Log1p
	}
	return nil
}

// chooseEdges takes the edges as given, or quantiles: edge q is the value that
// q/n of the values lie below.
func (d *draft) chooseEdges(file string) error {
	if len(d.options.Edges) > 0 {
		d.field.Edges = slices.Clone(d.options.Edges)
		return nil
	}
	numbers, err := d.plain(file)
	if err != nil {
		return err
	}
	slices.Sort(numbers)
	n := d.options.Quantiles
	if n == 0 {
		n = defaultBins
	}
	for q := 1; q < n && len(numbers) > 0; q++ {
		edge := numbers[q*len(numbers)/n]
		if last := len(d.field.Edges) - 1; edge > numbers[0] && (last < 0 || edge > d.field.Edges[last]) {
			d.field.Edges = append(d.field.Edges, edge)
		}
	}
	if got := len(d.field.Edges) + 1; got < n {
		d.note("%d bins, because values repeat", got)
	}
	return nil
}

// interval names a bin: from its lower edge on, up to but without its upper one.
func interval(edges []float64, bin int) string {
	switch {
	case len(edges) == 0:
		return "any"
	case bin == 0:
		return "<" + number(edges[0])
	case bin == len(edges):
		return ">=" + number(edges[bin-1])
	default:
		return number(edges[bin-1]) + ".." + number(edges[bin])
	}
}

// fill computes the features of every item, blanks filled with the mean of the
// others, and adds the feature that tells blanks.
func (d *draft) fill(file string, all Options) error {
	m := len(d.texts)
	blanks := 0
	d.values = make([][]float64, len(d.features))
	for x := range d.features {
		d.values[x] = make([]float64, m)
	}
	known := make([][]bool, len(d.features))
	for x := range known {
		known[x] = make([]bool, m)
	}
	empty := make([]float64, m)
	var c cell
	for i, text := range d.texts {
		if wrong := d.field.read(text, &c); wrong != nil {
			return wrong.in(file, d.lines[i], d.field.Name)
		}
		if c.blank {
			blanks++
			empty[i] = 1
		}
		for x := range d.features {
			d.values[x][i], known[x][i] = d.features[x].raw(&d.field, &c)
		}
	}
	for x := range d.features {
		d.features[x].Fill = fillMean(d.values[x], known[x])
	}
	if !all.CompleteOnly {
		d.report.Blanks = blanks
	}
	d.describe(known)
	if blanks == 0 {
		return nil
	}
	tell := d.options.Missing == MissingAlways ||
		d.options.Missing == MissingAuto && blanks >= fewestBlanks && float64(blanks) >= all.MissingFrom*float64(m)
	if tell {
		d.features = append(d.features, Feature{Name: d.field.Name + " missing", Part: Blank})
		d.values = append(d.values, empty)
	}
	return nil
}

// noteBlanks says what became of the blanks.
func (d *draft) noteBlanks(complete bool) {
	if d.report.Blanks == 0 || complete || len(d.report.Features) == 0 {
		return
	}
	told := ""
	for _, c := range d.features {
		if c.Part == Blank && slices.Contains(d.report.Features, c.Name) {
			told = ", told by " + data.Quote(c.Name)
		}
	}
	d.note("%s filled with the mean%s", plural(d.report.Blanks, "blank"), told)
}

// fillMean puts the mean of the known values where none is known, and gives it.
func fillMean(values []float64, known []bool) float64 {
	sum, n := 0.0, 0
	for i, v := range values {
		if known[i] {
			sum += v
			n++
		}
	}
	if n == 0 {
		return 0
	}
	mean := sum / float64(n)
	for i := range values {
		if !known[i] {
			values[i] = mean
		}
	}
	return mean
}

// describe puts what the numbers are into the report.
func (d *draft) describe(known [][]bool) {
	if d.field.Type == Text || d.field.Type == List || len(d.features) == 0 {
		return
	}
	if d.field.Type == Indicator {
		d.report.Holds = fmt.Sprintf("%.3g %% are 1", 100*d.features[0].Fill)
		return
	}
	if d.field.Transform == Bins {
		d.report.Holds = fmt.Sprintf("%d bins", len(d.features))
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i, v := range d.values[0] {
		if known[0][i] {
			low, high = min(low, v), max(high, v)
		}
	}
	if d.field.Transform != None { // the range is that of the file
		numbers, _ := d.plain("")
		low, high = slices.Min(numbers), slices.Max(numbers)
	}
	d.report.Min, d.report.Max = &low, &high
	d.report.Holds = readable(low) + " to " + readable(high)
	if d.field.Type != Numeric || d.field.Transform != None {
		return
	}
	switch skew := skewness(d.values[0], d.features[0].Fill); {
	case skew > longTail && low >= 0:
		d.note("a long tail: transform=log may serve better")
	case math.Abs(skew) > longTail:
		d.note("a long tail: transform=bins may serve better")
	}
}

// skewness is the third standardised moment; 0 if all values are the same.
func skewness(values []float64, mean float64) float64 {
	most := 0.0
	for _, v := range values {
		most = max(most, math.Abs(v-mean))
	}
	if most == 0 {
		return 0
	}
	square, cube := 0.0, 0.0
	for _, v := range values {
		z := (v - mean) / most
		square += z * z
		cube += z * z * z
	}
	n := float64(len(values))
	return cube / n / math.Pow(square/n, 1.5)
}
