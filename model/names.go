package model

import (
	"optcomplete/result"
	"optcomplete/spec"
)

// Names of the leaf packages that this one uses throughout.
type (
	Refit   = spec.Refit
	Metrics = result.Metrics
	NearTie = result.NearTie
)

const (
	AutoRefit    = spec.AutoRefit
	LeastSquares = spec.LeastSquares
	Ridge        = spec.Ridge
	LearnedPrior = spec.LearnedPrior
)
