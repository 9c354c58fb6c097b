//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

func unnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func name(*os.File, string) error { return errors.ErrUnsupported }

func exchange(a, b string) error { return errors.ErrUnsupported }
