package result

// Certificate is what is known about a selection: what it costs, and what no other
// can be below.
type Certificate struct {
	Cost      float64 `json:"cost"`
	Bound     float64 `json:"bound"`     // no selection of as many costs less
	Gap       float64 `json:"gap"`       // (cost − bound)/cost, a fraction
	Certified bool    `json:"certified"` // the bound comes from all observed entries
	Status    Status  `json:"status"`

	Cuts  int `json:"cuts"`
	Nodes int `json:"nodes"`
	// Enumerated counts the selections that were evaluated one by one, in parts of
	// the tree small enough for that.
	Enumerated int `json:"enumerated"`
	Passes     int `json:"passes"`

	Outlook *Outlook `json:"outlook,omitempty"` // of a search that stopped early: how far away its proof was, about

	NearTies  []NearTie    `json:"near_ties"`             // best first
	GammaPath []GammaPoint `json:"gamma_path,omitempty"`  // the γ tried, when it was chosen by validation
	Alike     *Alike       `json:"gamma_alike,omitempty"` // how much that choice decides
	Units     *Units       `json:"units,omitempty"`       // of the features; nil: one γ for all of them as they are
}

// Early tells whether the search was stopped before what it was asked to do.
func (c *Certificate) Early() bool { return c.Status.Early() }

// NearTie is another selection that was seen, and its cost.
type NearTie struct {
	Selected []string `json:"selected"`
	Cost     float64  `json:"cost"`
}

// GammaPoint is one γ that was tried: what it selects, and how well that predicts.
type GammaPoint struct {
	Gamma    float64  `json:"gamma"`
	RMSE     float64  `json:"rmse"`               // on entries that the fit behind it did not see; of other losses than squared errors, what loss.Measure names
	RootGap  *float64 `json:"root_gap,omitempty"` // gap after the root of the search, at most 1; nil: none was searched
	Selected []string `json:"selected"`
	Limited  bool     `json:"numerical_limit,omitempty"` // rounding errors would hide a proof at this γ
}

// Gap is RootGap, and 0 where nothing was searched.
func (p *GammaPoint) Gap() float64 {
	if p.RootGap == nil {
		return 0
	}
	return *p.RootGap
}

// Removal is what a selection would cost without one of its features, no other
// taking its place.
type Removal struct {
	Name string  `json:"name"`
	Cost float64 `json:"cost"`
}

// Metrics tells how far predictions are from observed entries. With no entries
// all of them are 0.
type Metrics struct {
	Entries int `json:"entries"` // observed entries compared
	// MAPE is the mean of |error| / |value|, a fraction, over values that are not 0;
	// absent without any, and for the losses of yes and no and of counts.
	MAPE Relative `json:"mape,omitzero"`
	RMSE float64  `json:"rmse"` // root of the mean squared error, in the values' unit
	MAE  float64  `json:"mae"`  // mean absolute error, in the values' unit
	// MAPESkipped counts the entries with value 0, which MAPE leaves out.
	MAPESkipped int  `json:"mape_skipped,omitempty"`
	Weighted    bool `json:"weighted,omitempty"` // entries count by their weights
	*Measures        // in the terms of the model's loss; nil: squared errors
}
