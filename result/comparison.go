package result

import (
	"cmp"
	"fmt"
)

// Comparison is the error of a fit on validation entries beside that of row and column
// effects alone, shrunk, on the same entries; or, of a table, of its mean.
type Comparison struct {
	Alone   string  `json:"alone,omitempty"`   // what stands for the effects; empty: they do
	Measure string  `json:"measure,omitempty"` // what the errors are; empty: RMSE
	Entries int     `json:"entries"`
	RMSE    float64 `json:"rmse"`
	Effects float64 `json:"effects_rmse"`
}

// TheMean is what stands without any feature of a table.
const TheMean = "the mean"

// Warning says that the fit predicts worse than row and column effects; "" if it does
// not, or if nothing was compared.
func (c *Comparison) Warning(remedy string) string {
	if c == nil || !(c.RMSE > c.Effects) {
		return ""
	}
	things := "entries"
	if c.Alone == TheMean {
		things = "rows"
	}
	return fmt.Sprintf("this predicts worse than %s alone: %s %.4g against %.4g on %d validation %s (%s)", cmp.Or(c.Alone, "row and column effects"), cmp.Or(c.Measure, "RMSE"), c.RMSE, c.Effects, c.Entries, things, remedy)
}
