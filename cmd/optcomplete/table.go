package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"optcomplete/data/ingest"
	"optcomplete/encode"
	"optcomplete/internal/settings"
	"optcomplete/milp"
	"optcomplete/spec"
)

// The headings of help, in order.
const (
	inData     = "Data"
	inFeatures = "Understanding the features"
	inModel    = "Model"
	inChoice   = "What to select"
	inSearch   = "Search and its limits"
	inPaper    = "The paper's methods"
	inTwoSided = "Features of the rows too"
	inChecks   = "Validation"
	inUse      = "What to do"
	inOutput   = "Output"
	inEngine   = "On a cluster"
	inGeneral  = "General"
)

var groups = []string{inUse, inData, inFeatures, inChoice, inModel, inSearch, inPaper, inTwoSided, inChecks, inOutput, inEngine, inGeneral}

// Verbs that share settings.
var (
	fitting       = []string{"fit", "path"}
	sided         = []string{"fit", "path", "verify"}
	selecting     = []string{"fit", "path", "regress"}
	watched       = []string{"path", "regress", "features", "predict", "complete", "recommend", "explain", "fold-in", "evaluate", "verify", "report", "compare", "inspect"}
	loading       = []string{"fit", "path", "verify"}
	encoding      = []string{"fit", "path", "features", "verify"}
	understanding = []string{"fit", "path", "features", "verify", "regress"}
	newRows       = []string{"fold-in", "evaluate"}
	reading       = []string{"fit", "path", "fold-in", "evaluate", "pack", "verify"}
	onEngine      = []string{"fit", "path", "complete", "evaluate"}
	asking        = []string{"predict", "recommend", "fold-in", "explain", "evaluate"}
)

// Methods and models that share settings. A baseline has no model; twosided is the
// model of --row-features.
var (
	selects  = spec.Selecting
	masters  = []string{"cutplanes", "optcomplete"}
	usesAll  = []string{"certified", "cutplanes", "optcomplete", "imc"} // features are more than the names of columns
	lowRank  = []string{"certified", "cutplanes", "optcomplete", "softimpute", "imc"}
	ofMatrix = spec.OfMatrix
)

// onCluster are the fits whose readings can be sent.
var onCluster = spec.Use{Methods: selects, Models: ofMatrix}

const timeName = "column of the times in the ratings' header, for --split time; without it, one called timestamp, time, date, datetime or day"

// table holds every setting of the program. A new one is a line here and a Bind
// where its variable is; flags, checks, help, --config, completions and
// docs/settings.md follow from it (make settings).
var table = settings.Table{
	{Name: "threads", Type: settings.Whole, Range: "[0, 4096]", Group: inGeneral, Help: "processors to use; 0 means all. The result is the same for any number"},
	{Name: "seed", Type: settings.Whole, Default: "1", Range: "[0, ∞)", Group: inGeneral, Help: "seed of everything random: the same seed gives the same result"},
	{Name: "quiet", Type: settings.Switch, Group: inGeneral, Help: "print no progress and no notes"},
	{Name: "config", Type: settings.File, Group: inGeneral, Help: "YAML file with settings, named like the flags; flags on the command line win"},
	{Name: "print-config", Type: settings.Switch, Group: inGeneral, Help: "print all settings as a file for --config and stop"},
	{Name: "log-times", Type: settings.Switch, Default: "true", Group: inGeneral, Help: "show times in the log; with --log-times=false the same run prints the same log"},

	// Where passes are computed.
	{Name: "engine", Use: onCluster, Type: settings.Text, Group: inEngine, Verbs: onEngine, Help: "Spark Connect server (sc://HOST:PORT) on whose cluster large readings are computed, to the same bits; or exec:COMMAND, which starts workers elsewhere"},
	{Name: "engine", Type: settings.Text, Group: inEngine, Verbs: []string{"pack"}, Help: "Spark Connect server (sc://HOST:PORT) whose cluster reads the ratings, and packs them if it sees the folder of the output"},
	{Name: "engine-program", Use: onCluster, Type: settings.File, Group: inEngine, Verbs: append([]string{"engine", "pack"}, onEngine...), Help: "this program, built for the executors' system; without it the one that runs is sent"},
	{Name: "engine-from", Use: onCluster, Type: settings.Whole, Range: "[0, ∞)", Group: inEngine, Verbs: onEngine, Help: "readings of fewer entries than this stay on this machine; 0 means those that are faster there, by counted work"},
	{Name: "engine-tasks", Use: onCluster, Type: settings.Whole, Range: "[0, ∞)", Group: inEngine, Verbs: append([]string{"engine"}, onEngine...), Help: "tasks that a reading is divided into; 0 means four for each core"},
	{Name: "dry-run", Use: onCluster, Type: settings.Switch, Group: inEngine, Verbs: []string{"fit"}, Help: "fit nothing: estimate how long the fit would take with --engine, and on this machine"},
	{Name: "engine-folder", Use: onCluster, Type: settings.Folder, Group: inEngine, Verbs: onEngine, Help: "folder that the executors see too, for data that are in memory; without it they are written to a temporary one, and sent"},
	{Name: "data", Type: settings.File, Group: inUse, Verbs: []string{"engine"}, Help: "pack, or folder of packs, to read once there and once here"},
	{Name: "alone", Type: settings.Switch, Group: inUse, Verbs: []string{"worker"}, Help: "answer in this process instead of one that all workers of a folder share"},
	{Name: "serve", Type: settings.File, Group: inUse, Verbs: []string{"worker"}, Help: "socket to answer at (used by the worker itself)"},
	{Name: "watch", Type: settings.Whole, Range: "[0, ∞)", Group: inUse, Verbs: []string{"worker"}, Help: "process to end with (used by the worker itself)"},
	{Name: "shards", Type: settings.Text, Group: inOutput, Verbs: []string{"complete"}, Help: "write a folder of Parquet files of about this size each, such as 64MB"},
	{Name: "shards", Type: settings.Text, Group: inOutput, Verbs: []string{"pack"}, Help: "write a folder of packs of about this size each, such as 64MB: for clusters, and to be read like one pack"},

	// The data.
	{Name: "features", Type: settings.File, Group: inData, Verbs: loading, Help: "file with the features of the columns: the column's id, then its fields"},
	{Name: "features", Type: settings.File, Group: inData, Verbs: asking, Help: "file with raw records of columns that the model does not know: id, then the fields of the table it was fitted on"},
	{Name: "id", Type: settings.Text, Group: inData, Verbs: append([]string{"features", "pack"}, loading...), Help: "field of the feature table that holds the column's id; without it, the first"},
	{Name: "drop-unknown", Type: settings.Switch, Group: inData, Verbs: loading, Help: "leave out entries whose column has no features"},
	{Name: "features", Type: settings.File, Group: inData, Verbs: []string{"pack"}, Help: "feature table whose columns, in its order, are those of the pack"},
	{Name: "drop-unknown", Type: settings.Switch, Group: inData, Verbs: []string{"pack"}, Help: "leave out entries whose column is not in --features"},
	{Name: "drop-unknown", Type: settings.Switch, Group: inData, Verbs: newRows, Help: "leave out entries whose column is not in the model"},
	{Name: "drop-unknown", Type: settings.Switch, Group: inData, Verbs: []string{"complete"}, Help: "leave out entries of --keep-observed whose column is not in the model"},
	{Name: "drop-unknown", Type: settings.Switch, Group: inData, Verbs: []string{"recommend"}, Help: "leave out entries of --ratings whose column is not in the model"},
	{Name: "interval", Type: settings.Number, Range: "[0, 100)", Group: inUse, Verbs: []string{"predict"}, Help: "add an interval, low to high, that holds the value with this probability in percent, such as 90 (after fit --loss logistic the probability, after poisson the rate); 0: none"},
	{Name: "skip-unknown", Type: settings.Switch, Group: inData, Verbs: []string{"predict", "fold-in"}, Help: "leave out pairs whose row or column is not in the model"},
	{Name: "min-entries", Type: settings.Whole, Range: "[0, ∞)", Group: inData, Verbs: loading, Help: "leave out rows with fewer entries"},
	{Name: "missing", Type: settings.Names, Blank: true, Group: inData, Verbs: reading, Help: "values that mean unknown, such as NA"},
	{Name: "row-name", Type: settings.Text, Group: inData, Verbs: append([]string{"predict"}, reading...), Help: "header of the column that holds the row's id"},
	{Name: "column-name", Type: settings.Text, Group: inData, Verbs: append([]string{"predict"}, reading...), Help: "header of the column that holds the column's id"},
	{Name: "value-name", Type: settings.Text, Group: inData, Verbs: reading, Help: "header of the column that holds the value"},

	{Name: "delimiter", Type: settings.Text, Group: inData, Verbs: reading, Help: "character between fields, a space, or tab; by default found from the first line"},
	{Name: "delimiter", Type: settings.Text, Group: inData, Verbs: []string{"features"}, Help: "character between the fields of the table, a space, or tab; by default found from the first line"},
	{Name: "format", Type: settings.Text, Range: strings.Join(ingest.Formats, " | "), Group: inData, Verbs: reading, Help: "format of the ratings; by default found from name and content"},
	{Name: "weight", Type: settings.Text, Group: inData, Verbs: fitting, Help: "column of the ratings that weighs the entries, positive numbers: an entry of weight 2 counts as if it were there twice, one of weight 0 is left out; without it, one called weight or weights; none: no column"},
	{Name: "weight", Type: settings.Text, Group: inData, Verbs: []string{"fold-in", "verify"}, Help: "column that weighs the entries; without it, one called weight or weights; none: no column"},
	{Name: "weight", Type: settings.Text, Group: inData, Verbs: []string{"recommend"}, Help: "column of --ratings that weighs the entries; without it, one called weight or weights; none: no column"},
	{Name: "weight", Type: settings.Text, Group: inData, Verbs: []string{"evaluate"}, Help: "column that weighs the entries; without it, one called weight or weights (for a regression, where it must be named, none); none: no column"},
	{Name: "weight", Type: settings.Text, Group: inData, Verbs: []string{"pack"}, Help: "column that weighs the entries, which is stored too; without it, one called weight or weights; none: no column"},
	{Name: "duplicates", Type: settings.Text, Default: "error", Range: "error | first | last | mean", Group: inData, Verbs: reading, Help: "what to do with two entries for the same row and column"},

	// What a feature table is understood as.
	{Name: "features-config", Type: settings.File, Group: inFeatures, Verbs: encoding, Use: spec.Use{Methods: usesAll}, Help: "features.yaml: how to read the fields"},
	{Name: "field", Type: settings.Repeated, Group: inFeatures, Verbs: understanding, Use: spec.Use{Methods: usesAll}, Help: "how to read one field, such as NAME:type=list,separator=|,group=true; the keys are " + strings.Join(encode.FieldKeys, ", ")},
	{Name: "group", Type: settings.Repeated, Group: inFeatures, Verbs: encoding, Use: spec.Use{Methods: selects}, Help: "field whose features are selected together, as one of the k; of two-sided models all products with them"},
	{Name: "max-levels", Type: settings.Whole, Default: strconv.Itoa(encode.DefaultMaxLevels), Range: "[1, ∞)", Group: inFeatures, Verbs: understanding, Use: spec.Use{Methods: usesAll}, Help: "how many levels of a text field become features; rarer ones are pooled. Of one field: --field NAME:max-levels=N"},
	{Name: "separator", Type: settings.Text, Group: inFeatures, Verbs: understanding, Use: spec.Use{Methods: usesAll}, Help: "character between the parts of a list, such as |"},
	{Name: "blank", Type: settings.Names, Group: inFeatures, Verbs: understanding, Use: spec.Use{Methods: usesAll}, Help: "words that mean blank in the features, such as unknown"},
	{Name: "scale", Type: settings.Text, Default: "zscore", Range: "zscore | none", Group: inFeatures, Verbs: encoding, Use: spec.Use{Methods: usesAll}, Help: "zscore scales features to mean 0 and standard deviation 1 inside (default none for paper)"},
	{Name: "keep", Type: settings.Switch, Group: inFeatures, Verbs: encoding, Use: spec.Use{Methods: usesAll}, Help: "keep constant features and duplicates"},
	{Name: "complete-features", Type: settings.Switch, Group: inFeatures, Verbs: encoding, Help: "leave out columns with a blank in a field that is used"},

	// What to select.
	{Name: "k", Short: "k", Type: settings.Whole, Range: "[1, ∞)", Group: inChoice, Verbs: []string{"fit", "regress"}, Help: "how many features to select"},
	{Name: "k-max", Type: settings.Whole, Range: "[1, ∞)", Group: inChoice, Verbs: []string{"path"}, Help: "select 1, 2, … up to this many features"},
	{Name: "target", Type: settings.Text, Group: inChoice, Verbs: []string{"regress"}, Help: "the column to explain"},
	{Name: "path", Type: settings.Switch, Group: inChoice, Verbs: []string{"regress"}, Help: "every number of features from 1 to k"},
	{Name: "skip", Type: settings.Names, Group: inChoice, Verbs: []string{"regress"}, Help: "columns that are not features, such as ids"},
	{Name: "always", Type: settings.Names, Group: inChoice, Verbs: selecting, Help: "features that must be selected"},
	{Name: "at-most", Type: settings.Names, Group: inChoice, Verbs: selecting, Help: "how many features of a field may be selected, such as Genre=2; several with commas, of fields that share no feature"},
	{Name: "never", Type: settings.Names, Group: inChoice, Verbs: selecting, Help: "features that must not be selected"},

	// The model.
	{Name: "model", Type: settings.Text, Default: "full", Range: "full | pooled | paper", Group: inModel, Verbs: fitting, Use: spec.Use{Methods: selects, Models: ofMatrix}, Help: "what a value is made of (see: optcomplete help models)"},
	{Name: "gamma", Type: settings.Number, Default: "auto", Range: "auto | [1e-100, 1e100]", Group: inModel, Verbs: fitting, Help: "weight of the fit against the size of the coefficients; auto learns one for each feature, by how much rows differ on it (see: optcomplete help gamma)"},
	{Name: "gamma", Type: settings.Number, Default: "auto", Range: "auto | [1e-100, 1e100]", Group: inModel, Verbs: []string{"regress"}, Help: "weight of the fit against the size of the coefficients, for columns with sum of squares n; auto chooses it by cross-validation"},
	{Name: "gamma0", Type: settings.Number, Range: "[0, 1e100]", Group: inModel, Verbs: fitting, Help: "gamma of the population's coefficients, in pooled, in parts of that of a row's own; 0 is the root of the number of rows"},
	{Name: "gamma-factor", Type: settings.Number, Default: "auto", Range: "auto | [1e-6, 1e6]", Group: inModel, Verbs: fitting, Help: "multiplies what gamma auto learned for the features: it changes which features are selected and what is proven; a smaller one is easier to prove; auto is 1"},
	{Name: "column-shrinkage", Type: settings.Number, Range: "[0, ∞)", Group: inModel, Verbs: fitting, Help: "a column with this many entries has its effect shrunk half-way to 0; 0 estimates the number from the data"},
	{Name: "refit", Type: settings.Text, Default: "auto", Range: "auto | ls | ridge | prior", Group: inModel, Verbs: fitting, Help: "how to fit the rows of the model paper once the features are selected: ls (least squares), ridge (with gamma) or prior (learned from all rows); auto is ls. Other models have a learned prior"},
	{Name: "refit", Type: settings.Text, Default: "auto", Range: "auto | ls | ridge", Group: inModel, Verbs: []string{"regress"}, Help: "how to fit the coefficients once the features are selected: ls (least squares) or ridge (with gamma); auto is ls for squared errors without --nonnegative, else ridge"},
	{Name: "loss", Type: settings.Text, Default: "auto", Range: "auto | squared | logistic | poisson | huber", Group: inModel, Verbs: fitting, Help: "what to minimise: squared errors; logistic for yes/no; poisson for counts; huber for values with outliers. auto is logistic if all values are 0 or 1, yes or no, and nothing is asked for that only squared errors have; else squared"},
	{Name: "delta", Type: settings.Number, Range: "[0, ∞)", Group: inModel, Verbs: fitting, Help: "with --loss huber: errors beyond this count linearly, not squared; 0 takes 1.345 robust standard deviations of what row and column effects leave"},
	{Name: "nonnegative", Type: settings.Names, Group: inModel, Verbs: fitting, Help: "features whose coefficients must not be negative, in any row; all means every feature"},
	{Name: "loss", Type: settings.Text, Default: "auto", Range: "auto | squared | logistic | poisson | huber", Group: inModel, Verbs: []string{"regress"}, Help: "what to minimise: squared errors; logistic for yes/no; poisson for counts; huber for values with outliers. auto is logistic if all values are 0 or 1, yes or no, else squared"},
	{Name: "delta", Type: settings.Number, Range: "[0, ∞)", Group: inModel, Verbs: []string{"regress"}, Help: "with --loss huber: errors beyond this count linearly, not squared; 0 takes 1.345 robust standard deviations of the target"},
	{Name: "weight", Type: settings.Text, Group: inModel, Verbs: []string{"regress"}, Help: "column with the weight of each row, a positive number: a weight of 2 counts as the row twice; without it rows count alike, whatever columns are called"},
	{Name: "nonnegative", Type: settings.Names, Group: inModel, Verbs: []string{"regress"}, Help: "features whose coefficients must not be negative; all means every feature"},
	{Name: "no-intercept", Type: settings.Switch, Group: inModel, Verbs: []string{"regress"}, Help: "fit no intercept"},
	{Name: "clip", Type: settings.Text, Default: "auto", Range: "auto | none", Group: inModel, Verbs: fitting, Help: "auto keeps predictions in the range of the training values (not in paper), none does not"},

	// The search.
	{Name: "gap", Type: settings.Number, Range: "[0, 1)", Group: inSearch, Verbs: selecting, Help: "stop when the relative gap is this small; 0 continues until the optimum is proven"},
	{Name: "sampling", Type: settings.Text, Default: "auto", Range: "auto | never | always", Group: inSearch, Verbs: []string{"fit"}, Use: spec.Use{Methods: []string{"certified"}, Models: ofMatrix}, Help: "search samples of the rows first, then prove on all entries; auto does so from 2 million entries on"},
	{Name: "checkpoint", Type: settings.Folder, Group: inSearch, Verbs: []string{"fit", "regress"}, Help: "folder for intermediate results: after a kill, the same command resumes and gives the same result to the bit"},
	{Name: "warm-start", Type: settings.Folder, Group: inSearch, Verbs: []string{"fit"}, Help: "saved model whose selection is tried first"},
	{Name: "memory", Type: settings.Text, Group: inGeneral, Verbs: watched, Help: "memory that what is read may take, such as 2G; without it, half of what the machine has, at most three quarters of what is free. A file that takes more is refused"},
	{Name: "memory", Type: settings.Text, Group: inGeneral, Verbs: []string{"fit"}, Help: "memory to use, such as 2G; without it, half of what the machine has, at most three quarters of what is free. A pack that does not fit is read from its file"},
	{Name: "time-limit", Type: settings.Duration, Range: "none | [0, ∞)", Group: inSearch, Verbs: []string{"fit"}, Help: "limit for the whole command, which then ends with the best selection so far: at most a third goes to choosing gamma, and time is kept to fit every row; exit code 3 if it ends a search. Without it, see --search-time; none: search until the proof"},
	{Name: "time-limit", Type: settings.Duration, Range: "none | [0, ∞)", Group: inSearch, Verbs: []string{"regress"}, Help: "limit for the whole command, which then ends with the best selection so far: at most a third goes to choosing gamma; exit code 3 if it ends a search. Without it, see --search-time; none: search until the proof"},
	{Name: "time-limit", Type: settings.Duration, Range: "none | [0, ∞)", Group: inSearch, Verbs: []string{"path"}, Help: "limit for the whole command, divided between choosing gamma, the curve, the folds, the resamples and the proofs; exit code 3 if it ends a search. Without it, see --search-time; none: search until the proof"},
	{Name: "search-time", Type: settings.Duration, Default: "2m", Range: "(0, ∞)", Group: inSearch, Verbs: []string{"fit", "regress"}, Help: "without --time-limit, end the search after so much time with the best selection so far and its bound, but not before 20 passes; earlier where a proof would take over ten times the time spent and the bound has stalled"},
	{Name: "search-time", Type: settings.Duration, Default: "2m", Range: "(0, ∞)", Group: inSearch, Verbs: []string{"path"}, Help: "without --time-limit, end the proofs after so much time, each k with its best selection so far and its bound"},
	{Name: "max-nodes", Type: settings.Whole, Range: "[0, ∞)", Group: inSearch, Verbs: []string{"fit", "regress"}, Help: "most nodes for each search; 0: no limit"},
	{Name: "max-nodes", Type: settings.Whole, Range: "[0, ∞)", Group: inSearch, Verbs: []string{"path"}, Help: "most nodes for the proof of each k; 0: no limit. Without it and without --time-limit, the proofs end once 80 million entries were evaluated for all k, by 40 passes for each at least"},
	{Name: "near-ties", Type: settings.Whole, Default: "5", Range: "[0, 100000]", Group: inSearch, Verbs: selecting, Help: "how many other good selections to report"},
	{Name: "method", Type: settings.Text, Default: "certified", Range: "certified | cutplanes | optcomplete | softimpute | imc | effects", Group: inSearch, Verbs: []string{"fit"}, Help: "how to select: certified, or the paper's cutplanes (proven) or optcomplete (on samples, not proven); or a baseline that selects nothing: softimpute, imc or effects"},
	{Name: "residual-rank", Type: settings.Text, Default: "0", Group: inModel, Verbs: []string{"fit"}, Use: spec.Use{Methods: lowRank, Models: ofMatrix}, Help: "also use the other features, shrunken, up to this many unnamed traits learned from the values, and up to as many from which columns occur together, as far as the data support them (auto: without a limit); 0: none of this. For softimpute and imc: the rank; 0 is auto"},

	// The paper's methods.
	{Name: "solver", Type: settings.Text, Default: "embedded", Range: strings.Join(milp.Names(), " | "), Group: inPaper, Verbs: []string{"fit"}, Use: spec.Use{Methods: masters, Models: ofMatrix}, Help: "MILP solver of cutplanes and optcomplete (see: optcomplete solvers)"},
	{Name: "solver-path", Type: settings.File, Group: inPaper, Verbs: []string{"fit", "solvers"}, Use: spec.Use{Methods: masters, Models: ofMatrix}, Help: "program of --solver, or the folder that holds it; otherwise it is looked for in bin under $" + milp.SolversVariable + ", then in PATH"},
	{Name: "sample-rows", Type: settings.Whole, Default: "100", Range: "[1, ∞)", Group: inPaper, Verbs: []string{"fit"}, Use: spec.Use{Methods: []string{"optcomplete"}, Models: []string{"full", "paper"}}, Help: "rows in each sample of optcomplete (g0)"},
	{Name: "sample-constant", Type: settings.Number, Default: "1", Range: "(0, ∞)", Group: inPaper, Verbs: []string{"fit"}, Use: spec.Use{Methods: []string{"optcomplete"}, Models: []string{"full", "paper"}}, Help: "size of optcomplete's samples of columns (c); larger takes more"},
	{Name: "certify", Type: settings.Switch, Group: inPaper, Verbs: []string{"fit"}, Use: spec.Use{Methods: []string{"optcomplete"}, Models: []string{"full", "paper"}}, Help: "after optcomplete, prove its selection with the certified method"},
	{Name: "save-cuts", Type: settings.File, Group: inPaper, Verbs: []string{"fit"}, Use: spec.Use{Methods: masters, Models: ofMatrix}, Help: "file to write the cuts of cutplanes or optcomplete to, for optcomplete master"},
	{Name: "cuts", Type: settings.File, Group: inData, Verbs: []string{"master"}, Help: "file that fit --save-cuts wrote"},
	{Name: "iteration", Type: settings.Whole, Range: "[1, ∞)", Group: inUse, Verbs: []string{"master"}, Help: "write the master after this iteration; without it, the last"},
	{Name: "format", Type: settings.Text, Default: "lp", Range: "lp | mps", Group: inOutput, Verbs: []string{"master"}, Help: "lp (CPLEX LP) or mps (free MPS)"},

	// Features of the rows too.
	{Name: "row-features", Type: settings.File, Group: inTwoSided, Verbs: sided, Use: spec.Use{Methods: []string{"certified"}}, Help: "file with features of the rows (id, then numbers, text, lists, blanks): select k products row feature × column feature"},
	{Name: "effects", Type: settings.Text, Default: "shrunk", Range: "shrunk | none", Group: inTwoSided, Verbs: sided, Use: spec.Use{Methods: []string{"certified"}, Models: []string{"twosided"}}, Help: "with --row-features: what a prediction has besides products: effects of rows and columns, shrunk by learned variances, or nothing (the paper's form)"},
	{Name: "constants", Type: settings.Switch, Group: inTwoSided, Verbs: sided, Use: spec.Use{Methods: []string{"certified"}, Models: []string{"twosided"}}, Help: "with --effects none: add the constant 1 to either side, for the terms of one side alone"},
	{Name: "heredity", Type: settings.Text, Default: "none", Range: "strong | weak | none", Group: inTwoSided, Verbs: sided, Use: spec.Use{Methods: []string{"certified"}, Models: []string{"twosided"}}, Help: "with --effects none: select a product only with both of its one-sided terms (strong), with one of them (weak), or freely (none)"},

	// Validation.
	{Name: "holdout", Type: settings.Number, Range: "[0, 1)", Group: inChecks, Verbs: []string{"fit"}, Help: "fraction of the entries to hold out and score on, such as 0.2"},
	{Name: "holdout", Type: settings.Number, Range: "[0, 1)", Group: inChecks, Verbs: []string{"regress"}, Help: "fraction of the rows to hold out and score on, such as 0.2"},
	{Name: "holdout-rows", Type: settings.Number, Range: "[0, 1)", Group: inChecks, Verbs: []string{"fit"}, Use: spec.Use{Methods: []string{"certified"}, Models: []string{"twosided"}}, Help: "with --row-features: fraction of the rows to hold out whole and score on, as rows never seen, such as 0.2"},
	{Name: "holdout-columns", Type: settings.Number, Range: "[0, 1)", Group: inChecks, Verbs: []string{"fit"}, Use: spec.Use{Methods: []string{"certified"}, Models: []string{"twosided"}}, Help: "with --row-features: fraction of the columns to hold out whole and score on, as columns never seen, such as 0.2"},
	{Name: "split", Type: settings.Text, Default: "random", Range: "random | time", Group: inChecks, Verbs: []string{"fit"}, Help: "which entries --holdout keeps aside: random ones, or the latest (time), so that what is fitted to the past is scored on the future"},
	{Name: "split", Type: settings.Text, Default: "random", Range: "random | time", Group: inChecks, Verbs: []string{"path"}, Help: "folds of random entries, or of time: each is scored by what was fitted to the entries before it"},
	{Name: "split", Type: settings.Text, Default: "random", Range: "random | time", Group: inChecks, Verbs: []string{"verify"}, Help: "as the model was fitted; without it, what the model says"},
	{Name: "split", Type: settings.Text, Default: "all", Range: "all | time", Group: inChecks, Verbs: []string{"evaluate"}, Help: "time: score only entries from the moment on at which the training of the model ended (fit --split time)"},
	{Name: "time-name", Type: settings.Text, Group: inData, Verbs: fitting, Use: spec.Use{Models: ofMatrix}, Help: timeName},
	{Name: "time-name", Type: settings.Text, Group: inData, Verbs: []string{"evaluate", "verify"}, Help: timeName},
	{Name: "folds", Type: settings.Whole, Default: "5", Range: "[2, 10000]", Group: inChecks, Verbs: []string{"path"}, Help: "folds of the cross-validation"},
	{Name: "folds", Type: settings.Whole, Default: "5", Range: "[2, 10000]", Group: inChecks, Verbs: []string{"regress"}, Help: "folds of the cross-validation of gamma, and of every k of a path"},
	{Name: "repeats", Type: settings.Whole, Range: "[0, 1000000]", Group: inChecks, Verbs: []string{"path"}, Help: "instead of folds, this many hold-outs of a fifth of the entries"},
	{Name: "bootstrap", Type: settings.Whole, Range: "[0, 1000000]", Group: inChecks, Verbs: []string{"path"}, Help: "resample the rows this many times to see how stable the selection is, such as 50"},
	{Name: "bootstrap", Type: settings.Whole, Range: "[0, 1000000]", Group: inChecks, Verbs: []string{"regress"}, Help: "with --path: resample the rows this many times to see how stable the selection of the one-standard-error choice is, such as 50"},
	{Name: "bootstrap-k", Type: settings.Whole, Range: "[0, ∞)", Group: inChecks, Verbs: []string{"path"}, Help: "features to select on resamples; 0 means the one-standard-error choice"},
	{Name: "places", Type: settings.Whole, Default: "10", Range: "[1, ∞)", Group: inChecks, Verbs: []string{"evaluate"}, Help: "places of a ranking that count"},
	{Name: "relevant", Type: settings.Number, Group: inChecks, Verbs: []string{"evaluate"}, Help: "least value of a relevant entry; without it, the mean of the row's test entries"},
	{Name: "drift", Type: settings.Switch, Group: inChecks, Verbs: []string{"evaluate"}, Help: "tell whether the entries have moved beyond chance since the fit; the exit code is then 4"},
	{Name: "resamples", Type: settings.Whole, Default: "1000", Range: "[0, 1000000]", Group: inChecks, Verbs: []string{"evaluate"}, Help: "resamples of the rows behind the intervals; 0 for none"},

	// Using a model.
	{Name: "row", Type: settings.Text, Group: inUse, Verbs: []string{"explain"}, Help: "id of the row to explain; of a regression, the number of the line"},
	{Name: "column", Type: settings.Text, Group: inUse, Verbs: []string{"explain"}, Help: "with --row: id of the column whose prediction to explain"},
	{Name: "top", Type: settings.Whole, Default: "5", Range: "[0, ∞)", Group: inUse, Verbs: []string{"explain"}, Help: "with --row: how many recommended columns to give reasons for"},
	{Name: "row", Type: settings.Text, Group: inUse, Verbs: []string{"recommend"}, Help: "id of the row"},
	{Name: "all", Type: settings.Switch, Group: inUse, Verbs: []string{"recommend"}, Help: "list for every row of the model"},
	{Name: "top", Type: settings.Whole, Default: "10", Range: "[1, ∞)", Group: inUse, Verbs: []string{"recommend"}, Help: "how many columns to list"},
	{Name: "lowest", Type: settings.Switch, Group: inUse, Verbs: []string{"recommend"}, Help: "list the columns with the lowest predictions, lowest first; --caution is then added to them for the ranking"},
	{Name: "caution", Type: settings.Number, Default: "1", Range: "[0, ∞)", Group: inUse, Verbs: []string{"recommend", "evaluate"}, Help: "standard deviations of a prediction to take off before ranking; 0 ranks by the predictions"},
	{Name: "diversity", Type: settings.Number, Default: "0", Range: "[0, 1]", Group: inUse, Verbs: []string{"recommend", "evaluate"}, Help: "make lists that repeat less: a column in about 1 − D of them at most, and similar columns apart; 0: no change"},
	{Name: "least-entries", Type: settings.Whole, Default: "0", Range: "[0, ∞)", Group: inUse, Verbs: []string{"recommend", "evaluate"}, Help: "leave out columns with fewer entries"},
	{Name: "names", Type: settings.File, Group: inData, Verbs: []string{"recommend", "explain", "report", "serve"}, Help: "table with the ids of columns and their names or titles, to show the names"},
	{Name: "names", Type: settings.File, Group: inData, Verbs: []string{"fit"}, Use: spec.Use{Models: ofMatrix}, Help: "table with the ids of columns and their names or titles, to show the names in the report"},
	{Name: "keep-seen", Type: settings.Switch, Group: inUse, Verbs: []string{"recommend"}, Help: "list columns even if the row has entries for them"},
	{Name: "ratings", Type: settings.File, Group: inData, Verbs: []string{"recommend"}, Help: "file with more entries: new rows are folded in, and seen columns are left out"},
	{Name: "wide", Type: settings.Switch, Group: inUse, Verbs: []string{"complete"}, Help: "write a line for each row and a field for each column"},
	{Name: "mark-observed", Type: settings.Switch, Group: inUse, Verbs: []string{"complete"}, Help: "add a field observed: 1 where the row has an entry, 0 elsewhere"},
	{Name: "keep-observed", Type: settings.File, Group: inUse, Verbs: []string{"complete"}, Help: "file with observed entries (row, column, value): their values are written instead of predictions"},
	{Name: "rows", Type: settings.Names, Group: inUse, Verbs: []string{"complete"}, Help: "ids of the rows to write, or @FILE with one id per line; without it, all"},
	{Name: "pairs", Type: settings.File, Group: inUse, Verbs: []string{"fold-in"}, Help: "file of rows and columns to predict; the predictions go to stdout"},

	// Generated data.
	{Name: "netflix", Type: settings.Text, Group: inData, Verbs: []string{"synth"}, Help: "make film ratings: base, small, medium, large, full or ROWSxCOLUMNS"},
	{Name: "two-sided", Type: settings.Switch, Group: inData, Verbs: []string{"synth"}, Help: "make responses of cells to drugs, with features of both, effects and known interactions"},
	{Name: "rows", Type: settings.Whole, Default: "100", Range: "[1, 2147483647]", Group: inData, Verbs: []string{"synth"}, Help: "rows n"},
	{Name: "columns", Type: settings.Whole, Default: "100", Range: "[1, 2147483647]", Group: inData, Verbs: []string{"synth"}, Help: "columns m"},
	{Name: "features", Type: settings.Whole, Default: "15", Range: "[1, 1000000]", Group: inData, Verbs: []string{"synth"}, Help: "features p"},
	{Name: "k", Short: "k", Type: settings.Whole, Default: "5", Range: "[1, ∞)", Group: inData, Verbs: []string{"synth"}, Help: "true features"},
	{Name: "missing", Type: settings.Number, Default: "0.5", Range: "[0, 1)", Group: inData, Verbs: []string{"synth"}, Help: "fraction of the entries that is missing"},
	{Name: "noise", Type: settings.Number, Default: "0.01", Range: "[0, ∞)", Group: inData, Verbs: []string{"synth"}, Help: "standard deviation of the noise"},
	{Name: "test-entries", Type: settings.Whole, Default: "100000", Range: "[0, ∞)", Group: inOutput, Verbs: []string{"synth"}, Help: "missing entries to write to test.csv at most; 0 means all"},

	// What is written.
	{Name: "output", Short: "o", Type: settings.Folder, Group: inOutput, Verbs: []string{"fit", "regress"}, Help: "folder to write the model to"},
	{Name: "output", Short: "o", Type: settings.Folder, Default: "optcomplete-demo", Group: inOutput, Verbs: []string{"demo"}, Help: "folder to write the ratings, the features, the truth and the model to"},
	{Name: "stream", Type: settings.Switch, Group: inOutput, Verbs: []string{"synth"}, Help: "write the ratings to stdout"},
	{Name: "ratings", Type: settings.File, Group: inOutput, Verbs: []string{"synth"}, Help: "write the ratings to this file: a pack if it ends in .pack, else CSV"},
	{Name: "output", Short: "o", Type: settings.Folder, Group: inOutput, Verbs: []string{"synth"}, Help: "folder to write to"},
	{Name: "raw-names", Type: settings.Switch, Group: inOutput, Verbs: []string{"predict", "complete", "recommend", "fold-in", "features"}, Help: "in CSV, write ids and names as they are; without it, those that a spreadsheet would run as a formula (= + - @ first, and no number) get an apostrophe"},
	{Name: "raw-names", Type: settings.Switch, Group: inOutput, Verbs: []string{"path"}, Use: spec.Use{Models: ofMatrix}, Help: "in CSV, write ids and names as they are; without it, those that a spreadsheet would run as a formula (= + - @ first, and no number) get an apostrophe"},
	{Name: "force", Type: settings.Switch, Group: inOutput, Verbs: []string{"synth", "demo"}, Help: "replace files even if this command did not write them or they were changed since"},
	{Name: "memory", Type: settings.Text, Group: inGeneral, Verbs: []string{"pack"}, Help: "memory to use, such as 512M or 2G; without it, half of what the machine has, at most three quarters of what is free. What does not fit goes to a temporary file"},
	{Name: "temp", Type: settings.Folder, Group: inGeneral, Verbs: []string{"pack"}, Help: "folder for the temporary file; without it, that of the output"},
	{Name: "float32", Type: settings.Switch, Group: inOutput, Verbs: []string{"pack"}, Help: "round values to float32: less exact, and smaller if there are many distinct values"},
	{Name: "output", Short: "o", Type: settings.File, Group: inOutput, Verbs: []string{"pack"}, Help: "file to write to"},
	{Name: "output", Short: "o", Type: settings.File, Group: inOutput, Verbs: []string{"path"}, Help: "CSV file for the plot data"},
	{Name: "output", Short: "o", Type: settings.File, Group: inOutput, Verbs: []string{"features"}, Help: "file to write the encoded features to, as CSV; - writes them instead of the report"},
	{Name: "output", Short: "o", Type: settings.File, Group: inOutput, Verbs: []string{"master"}, Help: "file to write to; without it, stdout"},
	{Name: "output", Short: "o", Type: settings.File, Group: inOutput, Verbs: []string{"predict", "complete", "recommend"}, Help: "file to write to: .csv or .parquet; without it, CSV to stdout"},
	{Name: "output", Short: "o", Type: settings.File, Group: inOutput, Verbs: []string{"fold-in"}, Help: "where to write: FILE.csv or FILE.parquet for the coefficients, a folder for a model with the rows; without it, stdout"},
	{Name: "complete", Type: settings.File, Group: inOutput, Verbs: []string{"fold-in"}, Help: "file to write the predictions for all columns of the rows to: .csv or .parquet"},
	{Name: "plot", Type: settings.File, Group: inOutput, Verbs: []string{"path"}, Help: "SVG file for the plot"},
	{Name: "proof", Type: settings.File, Group: inOutput, Verbs: []string{"fit"}, Help: "file to write a proof of the bound to, for optcomplete verify; compressed if it ends in .zst"},
	{Name: "proof", Type: settings.File, Group: inUse, Verbs: []string{"verify"}, Help: "the proof that fit --proof wrote"},
	{Name: "report", Type: settings.File, Group: inOutput, Verbs: []string{"fit", "regress"}, Help: "HTML file to write a report to (see: optcomplete report --help)"},
	{Name: "path", Type: settings.File, Group: inData, Verbs: []string{"report"}, Help: "output of optcomplete path --json, for the error by number of features"},
	{Name: "test", Type: settings.File, Group: inData, Verbs: []string{"compare"}, Help: "entries (of regressions: a table) that no model was fitted to, to score all of them on"},
	{Name: "output", Short: "o", Type: settings.File, Group: inOutput, Verbs: []string{"report", "compare"}, Help: "HTML file to write to; without it, stdout"},
	{Name: "json", Type: settings.Switch, Group: inOutput, Verbs: []string{"fit", "path", "regress", "features", "explain", "evaluate", "recommend", "inspect", "engine", "pack", "verify"}, Help: "print the result as one JSON object"},
	{Name: "watch", Type: settings.Text, Group: inOutput, Verbs: selecting, Help: "address of this machine and a port, such as 127.0.0.1:8080, where a page shows the run while it goes on, and then its model, until Ctrl-C"},
	{Name: "listen", Type: settings.Text, Default: "127.0.0.1:8080", Group: inUse, Verbs: []string{"serve"}, Help: "with MODEL: address and port to answer HTTP on"},
	{Name: "token-file", Type: settings.File, Group: inUse, Verbs: []string{"serve"}, Help: "file with a token that requests must have: Authorization: Bearer TOKEN"},
	{Name: "tls-cert", Type: settings.File, Group: inUse, Verbs: []string{"serve"}, Help: "file with a TLS certificate (PEM), to answer HTTPS; with --tls-key"},
	{Name: "tls-key", Type: settings.File, Group: inUse, Verbs: []string{"serve"}, Help: "file with the key of --tls-cert (PEM)"},
	{Name: "insecure", Type: settings.Switch, Group: inUse, Verbs: []string{"serve"}, Help: "listen beyond this machine without a token and without TLS: whoever reaches the port may ask"},
	{Name: "ratings", Type: settings.File, Group: inData, Verbs: []string{"serve"}, Help: "file with the entries of the rows, so that requests can change some of a row's"},
	{Name: "log", Type: settings.Text, Default: "lines", Range: "lines | json", Group: inOutput, Verbs: []string{"serve"}, Help: "form of the log on stderr, which has a line for each request"},
	{Name: "describe", Type: settings.Switch, Group: inUse, Verbs: []string{"serve"}, Help: "print every verb and its settings as one JSON object and stop"},
	{Name: "quick", Type: settings.Switch, Group: inUse, Verbs: []string{"inspect"}, Help: "read only the description: no spread, and checksums are not verified"},
}

// What a setting of the library applies to, the library says.
func init() {
	for i := range table {
		s := &table[i]
		use, ok := spec.Uses[s.Name]
		fits := slices.Contains(s.Verbs, "fit")
		if !fits {
			use.Methods = nil // a path has but one
		}
		if ok && s.Use.String() == "" && (fits || slices.Contains(s.Verbs, "path")) {
			s.Use = use
		}
	}
}

// flagsOf makes flags of a verb from the table.
func flagsOf(cmd *cobra.Command) *settings.Flags {
	flags := table.For(cmd.Name(), cmd.Flags())
	if slices.Contains(watched, cmd.Name()) {
		flags.Bind("memory", new(string)) // watchMemory asks for it
	}
	return flags
}
