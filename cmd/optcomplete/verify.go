package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"optcomplete/data"
	"optcomplete/data/ingest"
	"optcomplete/formulation"
	"optcomplete/internal/atomicfile"
	"optcomplete/internal/rounding"
	"optcomplete/internal/settings"
	"optcomplete/internal/textfile"
	"optcomplete/model"
	"optcomplete/proof"
	"optcomplete/spec"
	"optcomplete/twosided"
)

// proofFile is where fit writes its proof, as it goes. It stands there only when
// the proof is complete.
type proofFile struct {
	path       string
	pending    *atomicfile.Pending
	compressed *zstd.Encoder
	failed     error // of a write: commit returns it, so that the fit continues
}

// Write writes to the disk as long as it takes anything.
func (f *proofFile) Write(b []byte) (int, error) {
	if f.failed == nil {
		_, f.failed = f.pending.Write(b)
	}
	return len(b), nil
}

// open begins the file and lets the fit write to it.
func (f *proofFile) open(s *formulation.Settings) (err error) {
	if f.path == "" {
		return nil
	}
	if f.pending, err = atomicfile.Create(f.path); err != nil {
		return err
	}
	s.Proof = f
	if strings.HasSuffix(f.path, ".zst") {
		if f.compressed, err = zstd.NewWriter(f); err != nil {
			return err
		}
		s.Proof = f.compressed
	}
	return nil
}

func (f *proofFile) commit() error {
	if f.pending == nil {
		return nil
	}
	if f.compressed != nil {
		if err := f.compressed.Close(); err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
	}
	if f.failed != nil {
		return fmt.Errorf("writing %s: %w", f.path, f.failed)
	}
	return f.pending.Commit()
}

// abort leaves what stood there, unless the file was committed.
func (f *proofFile) abort() {
	if f.pending != nil {
		f.pending.Abort()
	}
}

func verifyCommand(c *common) *cobra.Command {
	var (
		in     inputFlags
		path   string
		asJSON bool
		two    twoSidedFlags
	)
	cmd := verb("verify", func(cmd *cobra.Command, args []string) error {
		if path == "" {
			return usagef("the proof is missing: give it with --proof FILE")
		}
		m, err := loadModel(c, args[0])
		if err != nil {
			return err
		}
		defer m.Close()
		summary := &m.Summary
		if use := spec.Uses["proof"]; !use.Applies(summary.Method, summary.Model) {
			return usagef("%s: a proof is not written of this model, but of the %v", args[0], use)
		}
		named := cmd.Flags().Changed("weight")
		if err := repeatSettings(cmd, summary); err != nil {
			return err
		}
		if summary.Weighted && !named && ingest.IsPacked(args[1]) {
			in.ratings.Weight = "" // a pack does not know what the column was called
		}
		start := time.Now()
		p, err := textfile.FromFile(cmd.Context(), path, proof.Read)
		if err != nil {
			return err
		}
		kind, err := spec.ParseKind(summary.Model)
		if err != nil && summary.Model != twosided.Kind {
			return &usageError{err}
		}
		in.stored = true
		if !summary.Weighted && !cmd.Flags().Changed("weight") {
			in.unweighted()
		}
		var check func() (*proof.Verdict, error)
		if summary.Model == twosided.Kind {
			check, err = two.verify(cmd, c, &in, args[0], args[1], p)
		} else {
			var problem formulation.Problem
			problem, _, err = in.load(cmd, c, args[1], kind)
			check = func() (*proof.Verdict, error) {
				return formulation.Verify(cmd.Context(), problem, summary, p, threadsOf(c))
			}
		}
		if err != nil {
			if by := in.ratings.Weight; summary.Weighted && !named && by != "" {
				return otherColumn(err, by)
			}
			return err
		}
		done := c.working("Checking the proof", "nowhere")
		verdict, err := check()
		done()
		if err != nil {
			return err
		}
		if asJSON {
			err = writeJSON(c.stdout, verdict)
		} else {
			printVerdict(c, summary, two.effects, verdict, time.Since(start))
		}
		if len(verdict.Faults) > 0 {
			return fmt.Errorf("not verified: %s", strings.Join(verdict.Faults, "; "))
		}
		return err
	})
	flags := flagsOf(cmd)
	flags.Bind("proof", &path)
	in.register(flags)
	two.register(flags)
	flags.Bind("json", &asJSON)
	return cmd
}

// otherColumn says what to do where a file lacks the column that weighed the entries of
// the model.
func otherColumn(err error, by string) error {
	var wrong *data.InputError
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Problem, data.Quote(by)) {
		return err
	}
	out := *wrong
	has := ""
	if strings.HasPrefix(wrong.Remedy, "it has ") {
		has = wrong.Remedy + "; "
	}
	out.Remedy = has + fmt.Sprintf("the model was fitted with --weight %s: name the column of the same weights in this file with --weight NAME", by)
	return &out
}

// repeatSettings sets the flags that a model was fitted with and that were not
// given again: how its files are to be read.
func repeatSettings(cmd *cobra.Command, summary *model.Summary) (err error) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		text, known := summary.Settings[f.Name]
		if !known || f.Changed || f.Name == "features" || f.Name == "row-features" || err != nil {
			return
		}
		words := []string{text}
		if s := settings.Of(f); s != nil && s.Type == settings.Repeated {
			words = strings.Split(text, "\n")
		}
		for _, word := range words {
			if e := cmd.Flags().Set(f.Name, word); e != nil {
				err = usagef("the model was fitted with --%s %s, which is not understood: %v", f.Name, word, e)
			}
		}
	})
	return err
}

// printVerdict prints what was checked and what it proves.
func printVerdict(c *common, s *model.Summary, effects string, v *proof.Verdict, took time.Duration) {
	w := c.stdout
	what, things := "what effects of rows and columns leave, learned anew without products, by products of features", "product"
	if effects == twosided.NoEffects.String() {
		what = "the values, by products of features"
	}
	if kind, err := spec.ParseKind(s.Model); err == nil {
		what, things = kind.Explains(), "feature"
		if kind.Effects().Columns {
			what += fmt.Sprintf(" (shrinkage %.4g), fitted anew", s.ColumnShrinkage)
		}
	}
	closed := count(v.Closed+v.Modelled, "region") + " closed"
	if v.Modelled > 0 {
		closed += " (" + count(v.Modelled, "model") + ")"
	}
	fmt.Fprintf(w, "Checked   %s, %s, %s, %s, %s evaluated\n", count(v.Cuts, "cut"), count(v.Branchings, "branching"),
		count(v.Fixings, "fixing"), closed, count(v.Enumerated, "selection"))
	if v.Unproven > 0 {
		fmt.Fprintf(w, "Open      %s that the search left without any bound\n", count(v.Unproven, "region"))
	}
	fmt.Fprintf(w, "About     %s; k %d, %s\n", what, s.K, gammaText(s))
	if s.Units != nil && s.Units.Learned {
		fmt.Fprintf(w, "Gamma     of %s as the proof has it, not learned again\n", count(len(s.Units.Features), "feature"))
	}
	fmt.Fprintf(w, "Cost      %s  of the model's selection, at most (the model says %s)\n", rounding.Up(v.High, summaryDigits), rounding.Up(s.Cost, summaryDigits))
	fmt.Fprintf(w, "Bound     %s  (the model says %s)\n", rounding.Down(v.Bound, summaryDigits), rounding.Down(s.Bound, summaryDigits))
	fmt.Fprintf(w, "Gap       %s\n", rounding.PercentUp(v.Gap))
	if c.logTimes {
		fmt.Fprintf(w, "Time      %s\n", seconds(took.Seconds()))
	}
	if len(v.Faults) == 0 {
		fmt.Fprintf(w, "%s\n", c.outTerminal.style(green, fmt.Sprintf("verified: no selection of %s costs less than %s", count(s.K, things), rounding.Down(v.Bound, summaryDigits))))
	}
}
