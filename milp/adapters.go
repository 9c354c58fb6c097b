package milp

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// adapters are the external solvers, in the order they are listed to users.
//
// A gap of zero is asked for as zero, and feasibility and integrality as 1e-9
// where the program has such settings: the files are scaled so that this is a
// part in 1e9 of a typical gradient.
var adapters = []*adapter{
	{
		// HiGHS: options file and raw solution file as documented at
		// ergo-code.github.io/HiGHS, "Executable" and "List of options". Every
		// cut is dense, so presolve removes nothing, yet takes most of the time
		// on 1000 features (measured with 1.15: 15 of 18 s). Without it, masters
		// solve up to 10 times faster.
		name: "highs", program: "highs", suffix: ".mps", format: WriteMPS,
		versionArgs: []string{"--version"},
		version:     regexp.MustCompile(`HiGHS version (\S+)`),
		prepare: func(dir string, o Options) ([]string, error) {
			text := fmt.Sprintf("mip_rel_gap = %s\nmip_abs_gap = 1e-10\nrandom_seed = %d\n"+
				"mip_feasibility_tolerance = 1e-9\nprimal_feasibility_tolerance = 1e-9\ndual_feasibility_tolerance = 1e-9\n"+
				"small_matrix_value = 1e-12\npresolve = off\n", number(max(o.Gap, 0)), seed(o))
			if o.TimeLimit > 0 {
				text += "time_limit = " + seconds(o) + "\n"
			}
			if err := os.WriteFile(filepath.Join(dir, optionsFile), []byte(text), 0o600); err != nil {
				return nil, err
			}
			return []string{"--options_file", optionsFile, "--solution_file", solutionFile, "model.mps"}, nil
		},
		printed: printed{regexp.MustCompile(`(?m)^\s*Dual bound\s+(\S+)`), regexp.MustCompile(`(?m)^\s*Nodes\s+(\d+)\s*$`), regexp.MustCompile(`(?m)^\s*Timing\s+(\S+)`)},
		read:    readHiGHS,
	},
	{
		// CBC: command line of the stand-alone solver, coin-or.github.io/Cbc.
		// By default it drops solutions that are better by less than
		// 1e-5 (increment).
		name: "cbc", program: "cbc", suffix: ".lp", format: WriteLP,
		versionArgs: []string{"-quit"},
		version:     regexp.MustCompile(`Version:\s+(\S+)`),
		prepare: func(_ string, o Options) ([]string, error) {
			args := []string{"model.lp", "-ratioGap", number(max(o.Gap, 0)), "-allowableGap", "0", "-increment", "1e-10",
				"-randomCbcSeed", strconv.Itoa(seed(o)), "-primalTolerance", "1e-9", "-integerTolerance", "1e-9"}
			if o.TimeLimit > 0 {
				args = append(args, "-timeMode", "elapsed", "-seconds", seconds(o))
			}
			return append(args, "-printingOptions", "all", "-solve", "-solution", solutionFile), nil
		},
		printed: printed{regexp.MustCompile(`(?m)^Lower bound:\s+(\S+)`), regexp.MustCompile(`(?m)^Enumerated nodes:\s+(\d+)`), regexp.MustCompile(`(?m)^Time \(Wallclock seconds\):\s+(\S+)`)},
		read:    readCBC,
	},
	{
		// GLPK: glpsol --help; solution format of glp_write_mip in the GLPK
		// reference manual. Columns are numbered as in the MPS file.
		name: "glpk", program: "glpsol", suffix: ".mps", format: WriteMPS,
		versionArgs: []string{"--version"},
		version:     regexp.MustCompile(`GLPK LP/MIP Solver,? v?(\S+)`),
		prepare: func(_ string, o Options) ([]string, error) {
			args := []string{"--freemps", "model.mps", "--mipgap", number(max(o.Gap, 0)), "--seed", strconv.Itoa(seed(o))}
			if o.TimeLimit > 0 {
				args = append(args, "--tmlim", strconv.Itoa(int(math.Ceil(o.TimeLimit.Seconds()))))
			}
			return append(args, "-w", solutionFile), nil
		},
		read: readGLPK,
	},
	{
		// SCIP: interactive shell commands given with -c; solution format as in
		// the documentation of reader_sol.h.
		name: "scip", program: "scip", suffix: ".lp", format: WriteLP,
		versionArgs: []string{"--version"},
		version:     regexp.MustCompile(`SCIP version (\S+)`),
		prepare: func(_ string, o Options) ([]string, error) {
			commands := []string{
				"set limits gap " + number(max(o.Gap, 0)),
				"set randomization randomseedshift " + strconv.Itoa(seed(o)),
				"set numerics feastol 1e-9",
			}
			if o.TimeLimit > 0 {
				commands = append(commands, "set limits time "+seconds(o))
			}
			commands = append(commands, "read model.lp", "optimize", "write solution "+solutionFile, "quit")
			var args []string
			for _, c := range commands {
				args = append(args, "-c", c)
			}
			return args, nil
		},
		printed: printed{regexp.MustCompile(`(?m)^\s*Dual Bound\s*:\s*(\S+)`), regexp.MustCompile(`(?m)^\s*Solving Nodes\s*:\s*(\d+)`), regexp.MustCompile(`(?m)^\s*Solving Time \(sec\)\s*:\s*(\S+)`)},
		read:    readSCIP,
	},
	{
		// Gurobi: gurobi_cl and the SOL format, docs.gurobi.com, "Command-Line
		// Tool" and "Solution File Formats". ResultFile needs the suffix .sol.
		name: "gurobi", program: "gurobi_cl", suffix: ".lp", format: WriteLP, solution: gurobiFile,
		versionArgs: []string{"--version"},
		version:     regexp.MustCompile(`Gurobi Optimizer version (\S+)`),
		prepare: func(_ string, o Options) ([]string, error) {
			args := []string{"MIPGap=" + number(max(o.Gap, 0)), "MIPGapAbs=0", "Seed=" + strconv.Itoa(seed(o)),
				"FeasibilityTol=1e-9", "IntFeasTol=1e-9", "LogFile="}
			if o.TimeLimit > 0 {
				args = append(args, "TimeLimit="+seconds(o))
			}
			return append(args, "ResultFile="+gurobiFile, "model.lp"), nil
		},
		printed: printed{regexp.MustCompile(`best bound (\S+),`), regexp.MustCompile(`Explored (\d+) nodes`), regexp.MustCompile(`Explored .* in (\S+) seconds`)},
		read:    readGurobi,
	},
}

// seed fits the seed into the range every program takes.
func seed(o Options) int { return int(o.Seed % (1 << 30)) }

func seconds(o Options) string {
	return number(max(o.TimeLimit, 10*time.Millisecond).Seconds())
}
