package synth

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"optcomplete/data"
	"optcomplete/internal/random"
)

// Cells is generated responses of cells to drugs, with features of both sides and known
// interactions:
//
//	a_ij = 2.5 + row_i + column_j + Σ coefficient·x_iq·b_jl + noise,
//
// the x and b in the sum centred and scaled over the tables. Tables are as people have
// them: text, years, longitudes, a mutation that 90 % of the cells have, and features
// that predict part of the effects of rows and columns.
type Cells struct {
	CellTable, DrugTable *data.RawTable
	Observed, Missing    []TestEntry // by row and column; the missing ones are at most as many as asked for
	True                 []TrueProduct
}

// TrueProduct is an interaction of a generated instance.
type TrueProduct struct {
	Row         string  `json:"row_feature"`
	Column      string  `json:"column_feature"`
	Coefficient float64 `json:"coefficient"` // of the centred and scaled features
}

// Name is that of the product in a fit.
func (p *TrueProduct) Name() string { return p.Row + " × " + p.Column }

var (
	pathways = []string{"ERK MAPK", "PI3K", "Mitosis", "DNA repair", "EGFR", "WNT"}
	tissues  = []string{"skin", "lung", "colon", "breast", "blood", "brain"}
	genes    = []string{"TP53", "BRAF", "KRAS", "NRAS", "PIK3CA", "PTEN", "APC", "EGFR_mut", "RB1", "MYC", "CDKN2A", "VHL"}
)

// streamCells is that of this generator.
const streamCells = 0x63656c6c73 // "cells"

// MostTrue is the most interactions that NewCells makes.
const MostTrue = 12

// NewCells makes an instance. Config.Features is not used; Noise is the standard deviation of
// an entry. The last limit of the missing entries, drawn at random, are kept; 0: all.
func NewCells(c Config, limit int) (*Cells, error) {
	switch {
	case c.Rows < 20 || c.Columns < 20:
		return nil, fmt.Errorf("synth: %d × %d is too small for interactions to be found: at least 20 × 20", c.Rows, c.Columns)
	case c.K < 1 || c.K > MostTrue:
		return nil, fmt.Errorf("synth: %d true interactions, but 1 to %d can be made", c.K, MostTrue)
	case !(c.Missing >= 0 && c.Missing < 1) || !(c.Noise >= 0):
		return nil, fmt.Errorf("synth: %v of the entries missing and noise %v cannot be meant", c.Missing, c.Noise)
	}
	rng := random.New(c.Seed, streamCells)
	out := &Cells{}
	rows, columns := &sideTable{}, &sideTable{}
	for i := range c.Rows {
		rows.id(fmt.Sprintf("cell%04d", i+1))
		for g, gene := range genes {
			share := 0.9 // of the first
			if g > 0 {
				share = 0.12 + 0.04*float64(g)
			}
			rows.flag(gene, rng.Float64() < share)
		}
		rows.text("tissue", tissues[rng.Intn(len(tissues))], tissues)
		rows.number("age", math.Round(25+60*rng.Float64()))
		rows.number("longitude", math.Round(1e4*(360*rng.Float64()-180))/1e4)
	}
	for j := range c.Columns {
		columns.id(fmt.Sprintf("drug%03d", j+1))
		columns.text("pathway", pathways[j%len(pathways)], pathways)
		columns.flag("antibody", rng.Float64() < 0.3)
		columns.number("mass", math.Round(180+700*rng.Float64()))
		columns.number("released", math.Round(1955+65*rng.Float64()))
	}
	rows.standardise()
	columns.standardise()
	pairs := [][2]string{
		{"BRAF", "pathway=ERK MAPK"}, {"tissue=skin", "pathway=ERK MAPK"}, {"KRAS", "pathway=EGFR"}, {"PIK3CA", "pathway=PI3K"},
		{"age", "mass"}, {"TP53", "pathway=Mitosis"}, {"longitude", "released"}, {"tissue=blood", "antibody"},
		{"RB1", "pathway=Mitosis"}, {"age", "pathway=WNT"}, {"MYC", "mass"}, {"VHL", "released"},
	}
	for x, pair := range pairs[:c.K] {
		size := 0.35 + 0.2*rng.Float64()
		if x%2 == 0 {
			size = -size
		}
		out.True = append(out.True, TrueProduct{pair[0], pair[1], size})
	}
	rowEffect, columnEffect := make([]float64, c.Rows), make([]float64, c.Columns)
	for i := range rowEffect {
		rowEffect[i] = 0.7*rows.at(i, "TP53") + 0.4*rows.at(i, "age") + 0.4*rows.at(i, "tissue=blood") + 0.7*rng.Normal()
	}
	for j := range columnEffect {
		columnEffect[j] = 1.2*columns.at(j, "pathway=Mitosis") + 0.8*columns.at(j, "released") + 1.3*rng.Normal()
	}
	missing := 0
	for i := range c.Rows {
		for j := range c.Columns {
			clean := 2.5 + rowEffect[i] + columnEffect[j]
			for _, p := range out.True {
				clean += p.Coefficient * rows.at(i, p.Row) * columns.at(j, p.Column)
			}
			e := TestEntry{Entry: data.Entry{Row: int32(i), Column: int32(j), Value: clean + c.Noise*rng.Normal()}, NoiseFree: clean}
			if rng.Float64() >= c.Missing {
				out.Observed = append(out.Observed, e)
				continue
			}
			// A reservoir: every missing entry is kept with the same probability.
			if missing++; limit <= 0 || len(out.Missing) < limit {
				out.Missing = append(out.Missing, e)
			} else if at := rng.Intn(missing); at < limit {
				out.Missing[at] = e
			}
		}
	}
	slices.SortFunc(out.Missing, func(a, b TestEntry) int {
		return int(a.Row-b.Row)*c.Columns + int(a.Column-b.Column)
	})
	out.CellTable, out.DrugTable = rows.raw("cells.csv"), columns.raw("drugs.csv")
	return out, nil
}

// Ratings are the observed entries.
func (c *Cells) Ratings() (*data.Ratings, error) {
	entries := make([]data.Entry, len(c.Observed))
	for e := range entries {
		entries[e] = c.Observed[e].Entry
	}
	m, err := data.NewMatrix(len(c.CellTable.IDs), len(c.DrugTable.IDs), entries)
	if err != nil {
		return nil, err
	}
	return data.NewRatings(m, c.CellTable.IDs, c.DrugTable.IDs), nil
}

// sideTable is a table in the making: as text, and as features by their names.
type sideTable struct {
	ids, names []string
	cells      [][]string
	values     map[string][]float64
}

func (t *sideTable) id(id string) { t.ids, t.cells = append(t.ids, id), append(t.cells, nil) }

func (t *sideTable) cell(name, text string) {
	if len(t.ids) == 1 {
		t.names = append(t.names, name)
	}
	last := len(t.cells) - 1
	t.cells[last] = append(t.cells[last], text)
}

func (t *sideTable) value(name string, v float64) {
	if t.values == nil {
		t.values = map[string][]float64{}
	}
	t.values[name] = append(t.values[name], v)
}

func (t *sideTable) number(name string, v float64) {
	t.cell(name, strconv.FormatFloat(v, 'g', -1, 64))
	t.value(name, v)
}

func (t *sideTable) flag(name string, is bool) {
	v := 0.0
	if is {
		v = 1
	}
	t.number(name, v)
}

func (t *sideTable) text(name, is string, levels []string) {
	t.cell(name, is)
	for _, level := range levels {
		v := 0.0
		if level == is {
			v = 1
		}
		t.value(name+"="+level, v)
	}
}

func (t *sideTable) at(line int, feature string) float64 { return t.values[feature][line] }

func (t *sideTable) standardise() {
	for _, x := range t.values {
		mean, square := 0.0, 0.0
		for _, v := range x {
			mean += v / float64(len(x))
		}
		for _, v := range x {
			square += (v - mean) * (v - mean) / float64(len(x))
		}
		for i, v := range x {
			if x[i] = 0; square > 0 {
				x[i] = (v - mean) / math.Sqrt(square)
			}
		}
	}
}

func (t *sideTable) raw(file string) *data.RawTable {
	return data.NewRawTable(file, t.ids, t.names, slices.Concat(t.cells...))
}
