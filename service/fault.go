package service

import (
	"errors"
	"fmt"
	"net/http"

	"optcomplete/data"
	"optcomplete/model"
	"optcomplete/model/estimate"
)

// fault is a request that cannot be answered, and why.
type fault struct {
	status int
	Problem
}

func (f *fault) Error() string { return f.Problem.Problem }

func faultf(status int, remedy, format string, args ...any) *fault {
	return &fault{status, Problem{fmt.Sprintf(format, args...), remedy}}
}

// bad is a request that says what makes no sense.
func bad(remedy, format string, args ...any) *fault {
	return faultf(http.StatusBadRequest, remedy, format, args...)
}

// faultOf finds the words and the status of an error. The texts of errors that the request did
// not cause stay in the log: they may name files.
func faultOf(err error) *fault {
	var f *fault
	var input *data.InputError
	var large *estimate.RangeError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &input):
		return bad(input.Remedy, "%s: %s", input.File, input.Problem)
	case errors.As(err, &large) && large.Wants != "":
		return bad("give values of that kind", "a rating is %g, but the model's loss is for %s", large.Value, large.Wants)
	case errors.As(err, &large):
		return bad("give the values in the unit of the model's", "a rating is, or leads to, %g: too large to compute with", large.Value)
	case errors.Is(err, model.ErrNoIntervals), errors.Is(err, model.ErrEntriesUnknown):
		return bad("leave out interval, or fit a model that learns how rows differ (full or pooled)", "the model cannot tell how sure its predictions are: it has no learned prior, or was saved without the entries of its rows")
	}
	return faultf(http.StatusInternalServerError, "the log of the service says more", "the request could not be answered: an internal error")
}
