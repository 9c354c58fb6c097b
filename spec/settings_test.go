package spec

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestWhatCannotBeMeantIsRefused(t *testing.T) {
	nan := math.NaN()
	for _, bad := range []interface{ Validate() error }{
		&Limits{Gap: nan}, &Limits{Gap: 1}, &Limits{Gap: -0.1}, &Limits{TimeLimit: -time.Second}, &Limits{MaxNodes: -1}, &Limits{Memory: -1},
		&Statistics{Gamma: nan}, &Statistics{Gamma: math.Inf(1)}, &Statistics{Gamma: -1}, &Statistics{Gamma: 1e-320}, &Statistics{Gamma: 1e200}, &Statistics{Gamma0: 1e-320}, &Statistics{Gamma0: nan},
		&Statistics{GammaFactor: nan}, &Statistics{GammaFactor: 1e7}, &Statistics{Gamma: 1, GammaFactor: 1}, &Statistics{ColumnShrinkage: -1}, &Statistics{Holdout: nan}, &Statistics{Holdout: 1}, &Statistics{Refit: 9},
	} {
		if err := bad.Validate(); !errors.As(err, new(*Error)) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, good := range []interface{ Validate() error }{&Limits{}, &Limits{Gap: 0.5, NearTies: -1}, &Statistics{}, &Statistics{Holdout: 0.2, Refit: Ridge}} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	if ValidateK(0, 3, "feature") == nil || ValidateK(4, 3, "feature") == nil || ValidateK(3, 3, "feature") != nil {
		t.Error("k of 3 features must be 1 to 3")
	}
}
