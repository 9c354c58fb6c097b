package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"optcomplete/internal/textfile"
)

// InputError is a fault in what the user gave: where it is, what is wrong and
// what to do about it.
type InputError = textfile.InputError

// DescribeJSON says what is wrong with a JSON text in words that are not Go's.
func DescribeJSON(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		where := "it"
		if wrong.Field != "" {
			where = wrong.Field
		}
		article := "a"
		if strings.ContainsAny(wrong.Value[:1], "ao") { // array, object
			article = "an"
		}
		return fmt.Sprintf("%s cannot be %s %s", where, article, wrong.Value)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends before the JSON does"
	}
	return err.Error()
}
