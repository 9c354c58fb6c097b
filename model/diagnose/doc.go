// Package diagnose compares a model with the entries it was fitted on, or with
// those held out: where it is wrong (Of), what each part explains (Variance) and
// whether its intervals cover what they should (Coverage). Nothing else depends
// on what it finds.
package diagnose
