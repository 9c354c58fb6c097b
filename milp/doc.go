// Package milp solves the master problems of the paper's outer approximation:
// choose K of P features so that the largest of some cuts is least.
//
// It takes a [Master] (cuts, cardinality, features fixed in or out, a floor of
// η) and gives a [Solution]: the selection, its η, and a bound that no
// selection can beat. [Embedded] is the default [Solver], pure Go and exact: a
// branch and bound on the LP relaxation, warm-started from one cut to the next.
// [External] runs HiGHS, CBC, GLPK, SCIP or Gurobi as a process over a file of
// [WriteLP] or [WriteMPS]; [Find] lists what is installed.
//
// Embedded finds multipliers λ by a dual simplex whose basis holds only the tight
// cuts, and proves each node by the Lagrangian bound at λ, evaluated from the
// cuts with its rounding subtracted. The simplex may err; the proof may not.
//
// An external program is never taken at its word. Its weights must round to a
// selection that satisfies the master, η is recomputed from the cuts, and a
// claim that disagrees beyond the program's tolerances is an [*AnswerError]. It
// may still miss an optimum that is better by less than these tolerances, about
// 1e-6 of a cut's largest entry, and its Bound is lowered by as much. Programs
// that are missing, crash, are killed, hang, or write garbage each have an
// error type of their own; none leaves a process or a file behind.
//
// The package must never return a selection that is not feasible, an objective
// that is not the selection's own, or an unproved answer without a
// [*NotOptimalError].
package milp
