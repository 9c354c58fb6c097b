// Package diagnose looks at the entries a model was fitted on, or at those held out,
// with the model at hand: where it is wrong (Of), what each part explains (Variance)
// and whether its intervals hold what they say (Coverage). Nothing else rests on
// what it finds.
package diagnose
