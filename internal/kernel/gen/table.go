package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gramTableMost is the most features that gramTable keeps all products of in
// registers, as in the kernel package.
const gramTableMost = 11

// ahead is how many entries before it is needed gramTable fetches a row of a table
// of more than nearTable numbers, which the second cache might not hold.
const (
	ahead     = 24
	nearTable = 32 << 10
)

// rowOf sets row to the row of a table that the next of cols says, width being in bytes.
func rowOf(row, table, width Register, cols Mem) {
	MOVLQSX(cols, row)
	IMULQ(width, row)
	ADDQ(table, row)
}

// gramTable: the products of the rows cols of a table and the values a with each other,
// all of them in the 32 registers that AVX-512 has of four numbers, too.
func gramTable() {
	TEXT("gramTableAVX512", NOSPLIT, "func(square, table []float64, width int, cols []int32, a []float64, t int)")
	Pragma("noescape")
	Doc("gramTableAVX512 sets the lower triangle of square, in vectors of four, to VᵀV for V of the rows cols of the table and a behind them, t being at most 11.")
	square, table, width, cols, a, t := pointer("square"), pointer("table"), count("width"), pointer("cols"), pointer("a"), count("t")
	entries := Load(Param("cols").Len(), GP64())
	SHLQ(Imm(3), width)
	row, last, size := GP64(), GP64(), Load(Param("table").Len(), GP64())
	for n := gramTableMost; n > 0; n-- {
		CMPQ(t, Imm(uint64(n)))
		JEQ(LabelRef(fmt.Sprintf("features%d", n)))
	}
	JMP(LabelRef("end"))
	for n := gramTableMost; n > 0; n-- {
		Label(fmt.Sprintf("features%d", n))
		vectors := (n + 3) / 4
		acc := make([][]VecVirtual, n+1) // of each feature, and of the value
		for x := range acc {
			acc[x] = make([]VecVirtual, min(x/4+1, vectors))
			for v := range acc[x] {
				acc[x][v] = YMM()
				VXORPD(acc[x][v], acc[x][v], acc[x][v])
			}
		}
		own := XMM() // of the value with itself
		VXORPD(own, own, own)
		y, by := make([]VecVirtual, vectors), YMM()
		for v := range y {
			y[v] = YMM()
		}
		add := func() {
			rowOf(row, table, width, Mem{Base: cols})
			for v := range y {
				VMOVUPD(Mem{Base: row, Disp: v * vector}, y[v])
			}
			for x, sums := range acc {
				from := Mem{Base: row, Disp: x * double}
				if x == n {
					from = Mem{Base: a}
				}
				VBROADCASTSD(from, by)
				for v, sum := range sums {
					VFMADD231PD(y[v], by, sum)
				}
			}
			VFMADD231SD(by.AsX(), by.AsX(), own)
			ADDQ(Imm(4), cols)
			ADDQ(Imm(double), a)
		}
		MOVQ(entries, last)
		CMPQ(size, U32(nearTable))
		JLE(LabelRef(fmt.Sprintf("last%d", n)))
		SUBQ(Imm(ahead), entries)
		JLE(LabelRef(fmt.Sprintf("last%d", n)))
		MOVQ(U32(ahead), last)
		loop(fmt.Sprintf("entry%d", n), entries, func() {
			rowOf(row, table, width, Mem{Base: cols, Disp: 4 * ahead})
			PREFETCHT0(Mem{Base: row})
			if n >= 8 {
				PREFETCHT0(Mem{Base: row, Disp: (n - 1) * double})
			}
			add()
		})
		Label(fmt.Sprintf("last%d", n))
		loop(fmt.Sprintf("rest%d", n), last, add)
		for x, sums := range acc {
			for v, sum := range sums {
				VMOVUPD(sum, Mem{Base: square, Disp: v * vector})
			}
			if x == n {
				VMOVSD(own, Mem{Base: square, Disp: n * double})
			}
			ADDQ(width, square)
		}
		JMP(LabelRef("end"))
	}
	Label("end")
	VZEROUPPER()
	RET()
}

// combineTable: r[e] = a[e] + Σ_y table[cols[e],y]·w[y], four e at a time, the value
// being added where Combine has it, with Σ a[e]·r[e] and Σ r[e]².
func combineTable() {
	TEXT("combineTableAVX512", NOSPLIT, "func(r, table []float64, width int, cols []int32, w, a []float64, entries, t int) (ar, rr float64)")
	Pragma("noescape")
	Doc("combineTableAVX512 sets r[e] = a[e] + Σ_y table[cols[e]·width+y]·w[y], y below t, for e below entries, a multiple of four, and returns Σ a[e]·r[e] and Σ r[e]².")
	r, table, width, cols, w, a := pointer("r"), pointer("table"), count("width"), pointer("cols"), pointer("w"), pointer("a")
	entries, t := count("entries"), count("t")
	SHLQ(Imm(3), width)
	SHRQ(Imm(2), entries)
	ar, rr := YMM(), YMM()
	VXORPD(ar, ar, ar)
	VXORPD(rr, rr, rr)
	// The place of the value among the four sums of an entry.
	place, one, mask := GP64(), GP64(), K()
	MOVQ(t, place)
	ANDQ(Imm(3), place)
	MOVQ(U32(1), one)
	SHLXQ(place, one, one)
	KMOVB(one.As32(), mask)
	ADDQ(Imm(3), t)
	SHRQ(Imm(2), t) // vectors
	var row [4]GPVirtual
	var acc [4]VecVirtual
	for e := range acc {
		row[e], acc[e] = GP64(), YMM()
	}
	at, by := place, YMM()
	body := func(sums func()) func() {
		return func() {
			for e := range acc {
				rowOf(row[e], table, width, Mem{Base: cols, Disp: 4 * e})
				VXORPD(acc[e], acc[e], acc[e])
			}
			sums()
			lo, hi := YMM(), YMM()
			for e := range acc {
				VADDPD_BCST(Mem{Base: a, Disp: e * double}, acc[e], mask, acc[e])
			}
			VHADDPD(acc[1], acc[0], acc[0])
			VHADDPD(acc[3], acc[2], acc[2])
			VPERM2F128(Imm(0x20), acc[2], acc[0], lo)
			VPERM2F128(Imm(0x31), acc[2], acc[0], hi)
			VADDPD(lo, hi, lo)
			VMOVUPD(lo, Mem{Base: r})
			VFMADD231PD(Mem{Base: a}, lo, ar)
			VFMADD231PD(lo, lo, rr)
			ADDQ(Imm(16), cols)
			ADDQ(Imm(vector), r)
			ADDQ(Imm(vector), a)
		}
	}
	const most = 3 // vectors of w that are kept
	for n := 1; n <= most; n++ {
		CMPQ(t, Imm(uint64(n)))
		JEQ(LabelRef(fmt.Sprintf("vectors%d", n)))
	}
	SHLQ(Imm(5), t) // bytes
	loop("combine", entries, body(func() {
		XORQ(at, at)
		Label("combine_vector")
		VMOVUPD(Mem{Base: w, Index: at, Scale: 1}, by)
		for e := range acc {
			VFMADD231PD(Mem{Base: row[e], Index: at, Scale: 1}, by, acc[e])
		}
		ADDQ(Imm(vector), at)
		CMPQ(at, t)
		JLT(LabelRef("combine_vector"))
	}))
	JMP(LabelRef("end"))
	for n := 1; n <= most; n++ {
		Label(fmt.Sprintf("vectors%d", n))
		kept := make([]VecVirtual, n)
		for v := range kept {
			kept[v] = YMM()
			VMOVUPD(Mem{Base: w, Disp: v * vector}, kept[v])
		}
		loop(fmt.Sprintf("combine%d", n), entries, body(func() {
			for v := range kept {
				for e := range acc {
					VFMADD231PD(Mem{Base: row[e], Disp: v * vector}, kept[v], acc[e])
				}
			}
		}))
		JMP(LabelRef("end"))
	}
	Label("end")
	returnSum(ar, "ar")
	returnSum(rr, "rr")
	VZEROUPPER()
	RET()
}
