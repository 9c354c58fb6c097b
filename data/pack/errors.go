package pack

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"optcomplete/data"
)

// What can be wrong with a pack. Open and everything that reads return a
// *data.InputError that names the file and what to do, and wraps one of these;
// for ErrDamaged and ErrChanged, also a *BlockError.
var (
	ErrNotPack = errors.New("pack: the file is not a pack")
	ErrVersion = errors.New("pack: the pack has another version")
	ErrDamaged = errors.New("pack: the pack is damaged")
	ErrChanged = errors.New("pack: the file was changed while open")
	ErrClosed  = errors.New("pack: the pack is closed")
)

// BlockError says which part of a pack cannot be read.
type BlockError struct {
	Block         int    // its number from 0; -1 for what describes the whole pack
	First, Last   int    // its rows
	Problem       string // what was found
	Damage, Cause error  // ErrDamaged or ErrChanged; the system's error if there is one
}

func (e *BlockError) Error() string {
	if e.Block < 0 {
		return "the pack's description " + e.Problem
	}
	return fmt.Sprintf("block %d (rows %d to %d) %s", e.Block, e.First, e.Last, e.Problem)
}

func (e *BlockError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Damage}
	}
	return []error{e.Damage, e.Cause}
}

const (
	packAgain = "pack the data again, or copy the file again if it was copied"
	openAgain = "leave a pack alone while it is read; start again"
)

func (f *File) damaged(block int, format string, args ...any) error {
	return f.blockError(block, ErrDamaged, packAgain, fmt.Sprintf(format, args...))
}

func (f *File) blockError(block int, kind error, remedy, problem string) error {
	e := &BlockError{Block: block, Damage: kind, Problem: problem}
	if block >= 0 {
		e.First = block * f.rowsPerBlock
		e.Last = min(e.First+f.rowsPerBlock, f.rows) - 1
	}
	return &data.InputError{File: f.path, Problem: e.Error(), Remedy: remedy, Err: e}
}

// writeError says what to do about a full disk.
func writeError(path string, written int64, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("writing %s: the disk is full after %d bytes (free some space, or write to another disk than that of %s): %w",
			path, written, filepath.Dir(path), err)
	}
	return fmt.Errorf("writing %s: %w", path, err)
}
