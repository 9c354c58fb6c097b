// Package model is a fitted model and its uses.
//
// New joins what model/estimate fitted (Parts) with the ids and the Summary: the
// settings, the certificate and the metrics of the fit. The Model predicts, for a
// row and columns (PredictRow) or any ids (Answer, which says what the answer rests
// on, and Intervals, how sure it is); recommends; and explains itself, a row and one
// prediction, in the units of the features' file. New rows are folded in (FoldIn,
// WithRows) and new columns added from their raw records (ColumnsFrom, WithColumns),
// without a refit.
//
// Related packages change for other reasons: model/estimate fits the
// coefficients, model/store saves and loads, model/tables writes predictions and
// recommendations, model/diagnose looks at the entries a model was fitted on.
//
// It must never hold or give a number that is not finite, and its answers must
// not depend on the number of threads.
package model
