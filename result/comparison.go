package result

import (
	"cmp"
	"fmt"
)

// Comparison is the error of a fit on validation entries beside that of row and column
// effects alone, shrunk, on the same entries.
type Comparison struct {
	Measure string  `json:"measure,omitempty"` // what the errors are; empty: RMSE
	Entries int     `json:"entries"`
	RMSE    float64 `json:"rmse"`
	Effects float64 `json:"effects_rmse"`
}

// Warning says that the fit predicts worse than row and column effects; "" if it does
// not, or if nothing was compared.
func (c *Comparison) Warning(remedy string) string {
	if c == nil || !(c.RMSE > c.Effects) {
		return ""
	}
	return fmt.Sprintf("this predicts worse than row and column effects alone: %s %.4g against %.4g on %d validation entries (%s)", cmp.Or(c.Measure, "RMSE"), c.RMSE, c.Effects, c.Entries, remedy)
}
