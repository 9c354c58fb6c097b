package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/data/ingest"
	"optcomplete/data/pack"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/settings"
	"optcomplete/model/store"
	"optcomplete/model/tables"
)

// place is a file or a folder that the command line names.
type place struct {
	path   string
	flag   string // empty for an argument
	folder bool   // the flag is for a folder
}

func (p place) String() string {
	if p.flag == "" {
		return p.path
	}
	return "--" + p.flag + " " + p.path
}

// reserve checks every output of a verb before any work is done, and keeps it
// from other processes until the program ends: that it can be written, that it
// is no input and no other output, and that what stands there may be replaced.
func (c *common) reserve(cmd *cobra.Command, args []string) error {
	inputs, outputs := places(cmd, args)
	verb := verbOf(cmd)
	if err := ownFolder(inputs); err != nil {
		return err
	}
	for x, out := range outputs {
		if c.kept[out.path] != nil { // it stays in memory
			continue
		}
		for _, in := range inputs {
			if err := apart(verb, in, out); err != nil {
				return err
			}
		}
		for _, other := range outputs[:x] {
			if same(other.path, out.path) {
				return usagef("%s and %s are the same: name another file for one of them", other, out)
			}
		}
		if err := movable(verb, out); err != nil {
			return err
		}
		if name := foreignModel(out.path); verb == "demo" && name != "" {
			return usagef("%s holds the folder %s, which is no model and is not replaced: name another folder, or move it away", out, name)
		}
		if force := cmd.Flags().Lookup("force"); force == nil || force.Value.String() != "true" {
			if err := mayReplace(verb, out); err != nil {
				return err
			}
		}
		folder := filepath.Dir(resolved(out.path))
		if !isFolder(folder) {
			return usagef("%s cannot be written: there is no folder %s", out, folder)
		}
		release, err := atomicfile.Reserve(out.path, store.RowsKind, ingest.SpillKind)
		if errors.Is(err, atomicfile.ErrBusy) {
			return usagef("another run is writing %s (wait for it to end, or name another place)", out.path)
		}
		if err != nil {
			return err
		}
		c.releases = append(c.releases, release)
	}
	return nil
}

// release gives up the reservations.
func (c *common) release() {
	for _, release := range c.releases {
		release()
	}
	c.releases = nil
}

// verbOf is the name of a verb in the table of settings.
func verbOf(cmd *cobra.Command) string {
	_, verb, _ := strings.Cut(cmd.CommandPath(), " ")
	return verb
}

// places are the files and folders that a command line names: what is read, and
// what is written.
func places(cmd *cobra.Command, args []string) (inputs, outputs []place) {
	for _, arg := range args {
		if arg != "-" {
			inputs = append(inputs, place{path: arg})
		}
	}
	for _, f := range flagsIn(cmd) {
		s := settings.Of(f)
		if s == nil {
			continue
		}
		for _, path := range named(f, s) {
			p := place{path: path, flag: f.Name, folder: s.Type == settings.Folder || f.Name == "output" && cmd.Flags().Changed("shards")}
			switch {
			case s.Group == inOutput || f.Name == "save-cuts":
				outputs = append(outputs, p)
			default:
				inputs = append(inputs, p)
			}
		}
	}
	return inputs, outputs
}

// named are the paths that a flag gives.
func named(f *pflag.Flag, s *settings.Setting) (paths []string) {
	switch value := f.Value.String(); {
	case value == "" || value == "-":
	case s.Type == settings.File || s.Type == settings.Folder:
		paths = append(paths, value)
	case f.Name == "rows" && f.Changed: // @FILE
		if path, ok := strings.CutPrefix(strings.Trim(value, "[]"), "@"); ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// apart is the error for an output that would replace an input, or a part of it.
func apart(verb string, in, out place) error {
	refuse := func(what string) error {
		return usagef("%s would replace %s: name another place for what is written", out, what)
	}
	if same(in.path, out.path) {
		// A model may be replaced by one that was made from it.
		if store.Is(in.path) && (verb == "fold-in" && in.flag == "" || in.flag == "warm-start") {
			return nil
		}
		return refuse("an input, " + in.String())
	}
	switch base := filepath.Base(out.path); {
	case !isFolder(in.path) || !same(in.path, filepath.Dir(resolved(out.path))):
	case store.Is(in.path) && (store.IsFile(base) || base == "path.json"):
		return refuse("a part of the model " + in.path)
	case pack.IsFolder(in.path) || !store.Is(in.path) && in.flag == "" && (ingest.Belongs(base) || isFile(out.path)):
		return refuse("a part of the input " + in.path)
	}
	if out.folder && store.IsFile(filepath.Base(in.path)) && same(filepath.Dir(resolved(in.path)), out.path) {
		return refuse("an input, " + in.String())
	}
	return nil
}

// ownFolder is the error for a checkpoint in a folder that is read.
func ownFolder(inputs []place) error {
	for _, checkpoint := range inputs {
		if checkpoint.flag != "checkpoint" {
			continue
		}
		for _, in := range inputs {
			if in.flag != "checkpoint" && same(in.path, checkpoint.path) {
				return usagef("%s is an input: name a folder of its own for the checkpoint", checkpoint)
			}
		}
	}
	return nil
}

// movable is the error for a folder that is not to be exchanged for a new one: one
// that somebody works in, or lives in.
func movable(verb string, out place) error {
	if !isFolder(out.path) {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	what := "the working folder"
	for folder := resolved(here); ; folder = filepath.Dir(folder) {
		if same(folder, out.path) {
			return usagef("%s is %s, which is not replaced: name a folder in it, such as %s", out, what, filepath.Join(out.path, "out"))
		}
		if folder == filepath.Dir(folder) {
			break
		}
		what = "a folder that holds the working folder"
	}
	if home, err := os.UserHomeDir(); err == nil && same(home, out.path) {
		return usagef("%s is your home folder, which is not replaced: name a folder in it", out)
	}
	return nil
}

// replaced is what a verb writes to a folder, and may replace there.
var replaced = map[string]struct {
	is   func(folder string) bool
	what string
}{
	"fit": {store.Is, "a model"}, "fold-in": {store.Is, "a model"}, "regress": {store.Is, "a model"},
	"complete": {tables.IsFolder, "a completed matrix"}, "pack": {pack.IsFolder, "packs"},
}

// mayReplace is the error for what stands at an output's place and must not be
// replaced.
func mayReplace(verb string, out place) error {
	info, err := os.Stat(out.path)
	if err != nil {
		return nil // nothing stands there; or Reserve will tell
	}
	toFolder := out.folder || verb == "fold-in" && out.flag == "output" && filepath.Ext(out.path) == ""
	switch {
	case toFolder && !info.IsDir():
		return usagef("%s is a file, not a folder: name another place", out)
	case !toFolder && info.IsDir():
		return usagef("%s is a folder: name a file in it, or another place", out)
	case toFolder && replaced[verb].is != nil:
		entries, err := os.ReadDir(out.path)
		if err == nil && len(entries) > 0 && !replaced[verb].is(out.path) {
			return usagef("%s is a folder that holds something else than %s, so it is not replaced: name another place, or empty it", out, replaced[verb].what)
		}
	case verb == "synth" && !toFolder:
		return usagef("%s exists, and may be somebody's: name another file, or replace it with --force", out)
	case verb == "synth" || verb == "demo":
		if name := foreign(out.path); name != "" {
			return usagef("%s holds %s, which optcomplete %s did not write or which was changed since: name another folder, or replace it with --force", out, name, verb)
		}
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// same tells whether two paths are the same file or folder: by way of links,
// hard or symbolic, too; and where nothing is yet, by name.
func same(a, b string) bool {
	first, err := os.Stat(a)
	second, other := os.Stat(b)
	if err == nil && other == nil {
		return os.SameFile(first, second) && (first.Mode().IsRegular() || first.IsDir())
	}
	return err != nil && other != nil && resolved(a) == resolved(b)
}

// resolved is the absolute path of a file that may not exist yet, its folder's
// links followed.
func resolved(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		return real
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(absolute)); err == nil {
		return filepath.Join(folder, filepath.Base(absolute))
	}
	return absolute
}

// kept is what became of the outputs of a run that may have taken hours: one that
// cannot be written does not take the others, or what is printed, down with it.
type kept struct {
	words  []string // for printWritten
	failed error
}

// add tells where an output stands, or why it does not.
func (k *kept) add(word, path string, err error) {
	if err != nil {
		k.failed = errors.Join(k.failed, err)
		path = "not written"
	}
	k.words = append(k.words, word, path)
}
