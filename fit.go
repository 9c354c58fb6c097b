package optcomplete

import "optcomplete/formulation"

var (
	Fit         = formulation.Fit
	Path        = formulation.Path
	Verify      = formulation.Verify
	Select      = formulation.Select
	ChooseGamma = formulation.ChooseGamma
	Baseline    = formulation.Baseline
	ParseMethod = formulation.ParseMethod

	SuitableLoss = formulation.SuitableLoss
	WhySquares   = formulation.WhySquares
)
