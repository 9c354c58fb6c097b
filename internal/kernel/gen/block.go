package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gramShape is the sums that gramTableBlock keeps in registers: of so many rows, from the
// features x on, with the features of so many vectors each, from y on. The last row is
// that of the values where there is one.
type gramShape struct {
	code  int
	rows  []int // vectors of each
	value bool
}

// gramShapes are the shapes that the kernel package asks for.
func gramShapes() []gramShape {
	shapes := []gramShape{{code: 0, rows: []int{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}}}
	add := func(rows, least, most int, value bool) {
		for v := least; v <= most; v++ {
			s := gramShape{code: 16*rows + v, rows: make([]int, rows), value: value}
			if value {
				s.code += 128
			}
			for r := range s.rows {
				s.rows[r] = v
			}
			shapes = append(shapes, s)
		}
	}
	add(4, 3, 6, false)
	add(1, 3, 3, true)
	add(2, 4, 8, true)
	add(3, 3, 6, true)
	add(4, 3, 6, true)
	add(5, 3, 5, true)
	return shapes
}

// gramTableBlock: a block of the products of the rows cols of a table and the values a with
// each other, in up to 25 of the 32 registers that AVX-512 has of four numbers, too.
func gramTableBlock() {
	TEXT("gramTableBlockAVX512", NOSPLIT, "func(dst, table []float64, width int, cols []int32, a, own []float64, x, y, shape, fetch, first int)")
	Pragma("noescape")
	Doc("gramTableBlockAVX512 adds the products of the features from x on with those from y on, of the rows cols of the table, to dst, or sets it to them if it is the first time.",
		"If the shape has a row of the values a, the sum of their squares goes to own. It fetches as many rows as told ahead of time.")
	dst, table, width, cols, a := pointer("dst"), pointer("table"), count("width"), pointer("cols"), pointer("a")
	own, x, y := pointer("own"), count("x"), count("y")
	shape, fetch := count("shape"), count("fetch")
	entries := Load(Param("cols").Len(), GP64())
	first := count("first")
	for _, register := range []Register{width, x, y} {
		SHLQ(Imm(3), register)
	}
	row, line := GP64(), GP64()
	shapes := gramShapes()
	for _, s := range shapes {
		CMPQ(shape, U32(uint32(s.code)))
		JEQ(LabelRef(fmt.Sprintf("shape%d", s.code)))
	}
	JMP(LabelRef("end"))
	for _, s := range shapes {
		name := func(what string) string { return fmt.Sprintf("%s%d", what, s.code) }
		Label(name("shape"))
		acc, most := make([][]VecVirtual, len(s.rows)), 0
		for r, n := range s.rows {
			most = max(most, n)
			for range n {
				acc[r] = append(acc[r], YMM())
			}
		}
		square, by := XMM(), YMM()
		each := func(move func(m Mem, x VecVirtual)) {
			MOVQ(dst, row)
			for _, sums := range acc {
				for v, sum := range sums {
					move(Mem{Base: row, Disp: v * vector}, sum)
				}
				ADDQ(width, row)
			}
		}
		TESTQ(first, first)
		JZ(LabelRef(name("load")))
		for _, sums := range acc {
			for _, sum := range sums {
				VXORPD(sum, sum, sum)
			}
		}
		if s.value {
			VXORPD(square, square, square)
		}
		JMP(LabelRef(name("start")))
		Label(name("load"))
		each(func(m Mem, x VecVirtual) { VMOVUPD(m, x) })
		if s.value {
			VMOVSD(Mem{Base: own}, square)
		}
		Label(name("start"))
		vectors := make([]VecVirtual, most)
		for v := range vectors {
			vectors[v] = YMM()
		}
		add := func() {
			rowOf(row, table, width, Mem{Base: cols})
			for v := range vectors {
				VMOVUPD(Mem{Base: row, Index: y, Scale: 1, Disp: v * vector}, vectors[v])
			}
			for r, sums := range acc {
				from := Mem{Base: row, Index: x, Scale: 1, Disp: r * double}
				if s.value && r == len(acc)-1 {
					from = Mem{Base: a}
				}
				VBROADCASTSD(from, by)
				for v, sum := range sums {
					VFMADD231PD(vectors[v], by, sum)
				}
			}
			if s.value {
				VFMADD231SD(by.AsX(), by.AsX(), square)
				ADDQ(Imm(double), a)
			}
			ADDQ(Imm(4), cols)
		}
		if s.code == 0 {
			SUBQ(fetch, entries)
			loop(name("fetched"), fetch, func() {
				rowOf(row, table, width, Mem{Base: cols, Disp: 4 * ahead})
				LEAQ(Mem{Base: row, Index: width, Scale: 1, Disp: -1}, line)
				PREFETCHT0(Mem{Base: line})
				Label("line")
				PREFETCHT0(Mem{Base: row})
				ADDQ(Imm(wide), row)
				CMPQ(row, line)
				JLT(LabelRef("line"))
				add()
			})
		}
		loop(name("entry"), entries, add)
		each(func(m Mem, x VecVirtual) { VMOVUPD(x, m) })
		if s.value {
			VMOVSD(square, Mem{Base: own})
		}
		JMP(LabelRef("end"))
	}
	Label("end")
	VZEROUPPER()
	RET()
}
