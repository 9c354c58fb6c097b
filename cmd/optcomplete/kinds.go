package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/evaluate"
	"optcomplete/internal/settings"
	"optcomplete/model"
	"optcomplete/model/store"
	"optcomplete/regress"
	"optcomplete/regress/saved"
	"optcomplete/report"
	"optcomplete/twosided"
)

// savedKind is how the verbs use a saved model, where that depends on what it is a
// model of. Nothing else asks which kind a model is.
type savedKind interface {
	// load opens it as a model of a matrix.
	load(path string) (*model.Model, error)
	// takesColumns says why columns cannot be added; nil: they can.
	takesColumns(path string, m *model.Model) error

	explain(cmd *cobra.Command, c *common, path string, f *explainFlags) error
	predict(cmd *cobra.Command, c *common, path, pairs string, f *predictFlags) error
	evaluate(cmd *cobra.Command, c *common, path, test string, f *evaluateFlags) error
	test(cmd *cobra.Command, c *common, path, test string) (*report.Test, error)
	foldIn(cmd *cobra.Command, c *common, path, ratings string, f *foldInFlags) error
}

// savedKinds are by their names in model.json; all others are of a matrix.
var savedKinds = map[string]savedKind{twosided.Kind: productModel{}, regress.Kind: regressionModel{}}

// kindAt is that of the model in a folder, if there is one.
func kindAt(path string) savedKind {
	if k, other := savedKinds[store.KindIn(path)]; other {
		return k
	}
	return matrixModel{}
}

// matrixModel is models with coefficients of the rows, and baselines. What a verb does
// with one stands in the file of the verb.
type matrixModel struct{}

func (matrixModel) load(path string) (*model.Model, error)  { return store.Load(path) }
func (matrixModel) takesColumns(string, *model.Model) error { return nil }

// productModel is two-sided models. Most verbs use them as models of a matrix.
type productModel struct{ matrixModel }

func (productModel) load(path string) (*model.Model, error) {
	m, err := twosided.Load(path)
	if err != nil {
		return nil, err
	}
	return m.Matrix()
}

func (productModel) takesColumns(path string, m *model.Model) error {
	if slices.Contains(m.Summary.Terms, twosided.Constant) {
		return usagef("%s has products with the constant, and no column can be added to those: leave out --features", path)
	}
	return nil
}

func (productModel) explain(cmd *cobra.Command, c *common, path string, f *explainFlags) error {
	if f.Names != "" {
		return usagef("%s is a two-sided model: explain takes no --names for it", path)
	}
	asked := cmd.Flags().Changed
	return explainTwoSided(c, path, f.Row, f.Column, asked("row") && asked("column"), f.JSON)
}

// regressionModel is what regress saves. It has no rows and columns of its own: whatever
// is to be predicted or explained is a line of a table.
type regressionModel struct{}

func (regressionModel) load(path string) (*model.Model, error) {
	return nil, usagef("%s is a regression, not a model of a matrix: use predict, explain, evaluate, report or compare", path)
}

func (regressionModel) takesColumns(string, *model.Model) error { return nil }

func (regressionModel) foldIn(_ *cobra.Command, _ *common, path, _ string, _ *foldInFlags) error {
	return usagef("%s is a regression, whose coefficients are the same for all rows, so there is nothing to fold in: predict takes new rows as they are", path)
}

func (regressionModel) predict(cmd *cobra.Command, c *common, path, table string, f *predictFlags) error {
	if err := meansNothing(cmd, path, "output", "raw-names"); err != nil {
		return err
	}
	return predictRegression(cmd, c, path, table, f.Output)
}

func (regressionModel) evaluate(cmd *cobra.Command, c *common, path, table string, f *evaluateFlags) error {
	if err := meansNothing(cmd, path, "json", "weight"); err != nil {
		return err
	}
	return evaluateRegression(cmd, c, path, table, f.options.Weight, f.JSON)
}

func (regressionModel) test(cmd *cobra.Command, c *common, path, table string) (*report.Test, error) {
	_, score, err := scoreRegression(cmd, c, path, table, "")
	if err != nil {
		return nil, err
	}
	one := func(x float64) evaluate.Interval { return evaluate.Interval{Value: x, Low: x, High: x} }
	return &report.Test{Entries: score.Rows, RMSE: one(score.RMSE), MAE: one(score.MAE)}, nil
}

func (regressionModel) explain(cmd *cobra.Command, c *common, path string, f *explainFlags) error {
	if err := meansNothing(cmd, path, "json", "features", "row"); err != nil {
		return err
	}
	if asked := cmd.Flags().Changed; asked("features") != asked("row") {
		return usagef("to explain one prediction of a regression, give a table with --features FILE and the number of its line with --row, 1 for the first after the header")
	}
	if f.Features != "" {
		return explainLine(cmd, c, path, f.Features, f.Row, f.JSON)
	}
	return explainRegression(c, path, f.JSON)
}

// meansNothing refuses flags that were given and mean nothing to a regression.
func meansNothing(cmd *cobra.Command, path string, but ...string) (err error) {
	cmd.Flags().Visit(func(given *pflag.Flag) {
		s := settings.Of(given)
		if err == nil && s != nil && s.Group != inGeneral && !slices.Contains(but, given.Name) {
			err = usagef("%s is a regression: %s means nothing to it", path, s.Flag())
		}
	})
	return err
}

// ofMatrixOnly refuses a regression where only a model of a matrix will do.
func ofMatrixOnly(path string) error {
	if saved.Is(path) {
		_, err := regressionModel{}.load(path)
		return err
	}
	return nil
}
