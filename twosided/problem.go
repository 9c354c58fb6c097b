package twosided

import (
	"context"
	"fmt"
	"slices"

	"optcomplete/data"
	"optcomplete/encode"
	"optcomplete/pass"
	"optcomplete/result"
)

// Problem is what is to be completed.
type Problem struct {
	Ratings *data.Ratings  // the observed entries
	Columns *data.Features // the features of the columns; the same columns in the same order
	Rows    *data.Features // the features of rows, in any order; those without entries are kept for predictions
	Nouns   *result.Nouns  // what the data call rows, columns and entries; nil: that

	// The encodings tell how the features were made from raw tables; nil: they are
	// numbers, as given.
	ColumnEncoding, RowEncoding *encode.Encoding
}

// Constant is the name of the feature that is 1 everywhere: products with it
// are the one-sided terms.
const Constant = "1"

// MaxProducts is the most products p₁·p₂ that a search takes: its cuts need about
// 2 kB for each, and the columns of G that it keeps half a gigabyte in all.
const MaxProducts = 1 << 20

const bytesPerProduct = 2.5e3

// Heredity says which other products a product may only be selected with. The
// parents of `age × Drama` are the one-sided terms `age × 1` and `1 × Drama`.
type Heredity int

const (
	NoHeredity     Heredity = iota
	StrongHeredity          // with both parents
	WeakHeredity            // with at least one of them
)

var heredityNames = [...]string{"none", "strong", "weak"}

func (h Heredity) String() string { return heredityNames[h] }

// ParseHeredity is the inverse of String.
func ParseHeredity(name string) (Heredity, error) {
	if h := slices.Index(heredityNames[:], name); h >= 0 {
		return Heredity(h), nil
	}
	return 0, fmt.Errorf("twosided: no heredity is called %q (use strong, weak or none)", name)
}

// UnknownRows returns the ids of the ratings' rows that have no features, and
// the number of their entries.
func (p Problem) UnknownRows() (ids []string, entries int) {
	known := make(map[string]bool, len(p.Rows.IDs))
	for _, id := range p.Rows.IDs {
		known[id] = true
	}
	for i, id := range p.Ratings.RowIDs {
		if !known[id] {
			ids = append(ids, id)
			entries += p.Ratings.Source().Entries(i)
		}
	}
	return ids, entries
}

// WithoutUnknownRows leaves out the rows that have no features. It reads the others
// into memory.
func (p Problem) WithoutUnknownRows(ctx context.Context) (Problem, error) {
	known := make(map[string]bool, len(p.Rows.IDs))
	for _, id := range p.Rows.IDs {
		known[id] = true
	}
	rows, ids := []int{}, []string{}
	for i, id := range p.Ratings.RowIDs {
		if known[id] {
			rows, ids = append(rows, i), append(ids, id)
		}
	}
	matrix, err := pass.Pick(ctx, p.Ratings.Source(), 0, "rows with features", rows)
	if err != nil {
		return p, err
	}
	p.Ratings = data.NewRatings(matrix, ids, p.Ratings.ColumnIDs)
	return p, nil
}

// TooManyProducts says what is wrong if the features make too many products for
// the search, with the given number of constants on either side.
func TooManyProducts(rowFeatures, columnFeatures int) (problem string, tooMany bool) {
	products := float64(rowFeatures) * float64(columnFeatures)
	if products <= MaxProducts {
		return "", false
	}
	return fmt.Sprintf("%d row features × %d column features are %.0f products, which would need about %.1f GB; %d at most (leave out features on either side)",
		rowFeatures, columnFeatures, products, products*bytesPerProduct/1e9, MaxProducts), true
}
