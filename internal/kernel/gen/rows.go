package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Limits of the register blocks, as in the kernel package.
const (
	correlateVectors = 15 // all registers but the one that holds r
	gramBlock        = 12 // accumulators of a block of a Gram matrix
	gramVectors      = 6  // and its most vectors
)

// correlate: for every span, z += Σ_x r[x]·b[cols[x],:].
func correlate() {
	TEXT("correlateAVX", NOSPLIT, "func(z []float64, vectors int, spans, cols []int32, r, b []float64, stride int)")
	Pragma("noescape")
	Doc("correlateAVX adds, for each span (place, from, to), Σ_x r[x]·b[cols[x]·stride ...] over from ≤ x < to, that many vectors, to z from its place on.")
	z, vectors, span := pointer("z"), count("vectors"), pointer("spans")
	left := Load(Param("spans").Len(), GP64())
	cols, r, b, stride := pointer("cols"), pointer("r"), pointer("b"), count("stride")
	SHLQ(Imm(3), stride)
	// Displacements of one byte reach four vectors on either side: the code is
	// a third shorter than from the first vector on.
	ADDQ(U32(4*vector), b)
	row, next, out, at, end := GP64(), GP64(), GP64(), GP64(), GP64()
	s := YMM()
	TESTQ(left, left)
	JZ(LabelRef("end"))
	for v := correlateVectors; v > 0; v-- {
		CMPQ(vectors, Imm(uint64(v)))
		JEQ(LabelRef(fmt.Sprintf("vectors%d", v)))
	}
	JMP(LabelRef("end"))
	for v := correlateVectors; v > 0; v-- {
		Label(fmt.Sprintf("vectors%d", v))
		MOVLQSX(Mem{Base: span}, out)
		MOVLQSX(Mem{Base: span, Disp: 4}, at)
		MOVLQSX(Mem{Base: span, Disp: 8}, end)
		LEAQ(Mem{Base: z, Index: out, Scale: double}, out)
		acc := make([]VecVirtual, v)
		for i := range acc {
			acc[i] = YMM()
			VMOVUPD(Mem{Base: out, Disp: i * vector}, acc[i])
		}
		Label(fmt.Sprintf("entry%d", v))
		MOVLQSX(Mem{Base: cols, Index: at, Scale: 4}, row)
		VBROADCASTSD(Mem{Base: r, Index: at, Scale: double}, s)
		IMULQ(stride, row)
		ADDQ(b, row)
		if v > 8 {
			LEAQ(Mem{Base: row, Disp: 8 * vector}, next)
		}
		for i, a := range acc {
			from := Mem{Base: row, Disp: (i - 4) * vector}
			if i >= 8 {
				from = Mem{Base: next, Disp: (i - 12) * vector}
			}
			VFMADD231PD(from, s, a)
		}
		INCQ(at)
		CMPQ(at, end)
		JLT(LabelRef(fmt.Sprintf("entry%d", v)))
		for i, a := range acc {
			VMOVUPD(a, Mem{Base: out, Disp: i * vector})
		}
		ADDQ(Imm(12), span)
		SUBQ(Imm(3), left)
		JNZ(LabelRef(fmt.Sprintf("vectors%d", v)))
		JMP(LabelRef("end"))
	}
	Label("end")
	VZEROUPPER()
	RET()
}

// gramPart is a part of a block: rows of broadcasts from a, times vectors of b.
type gramPart struct{ rows, vectors int }

// gram: dst += AᵀB for a block of columns of A and of B.
func gram() {
	TEXT("gramAVX", NOSPLIT, "func(dst, a, b []float64, entries, width, rows, vectors int)")
	Pragma("noescape")
	Doc("gramAVX adds Σ_e a[e·width+x]·b[e·width+y] to dst[x·width+y] for x below rows and y in that many vectors.",
		"With vectors = 0 it does so for four rows and one vector, and below them for that many rows and two: the top of a triangle.")
	dst, a, b := pointer("dst"), pointer("a"), pointer("b")
	entries, width, rows, vectors := count("entries"), count("width"), count("rows"), count("vectors")
	SHLQ(Imm(3), width)
	SHLQ(Imm(3), rows)
	ADDQ(vectors, rows) // one number for the shape
	TESTQ(entries, entries)
	JZ(LabelRef("end"))
	type shape struct {
		code  int
		parts []gramPart
	}
	var shapes []shape
	for r := 4; r > 0; r-- {
		shapes = append(shapes, shape{8 * r, []gramPart{{4, 1}, {r, 2}}})
		for v := min(gramBlock/r, gramVectors); v > 0; v-- {
			shapes = append(shapes, shape{8*r + v, []gramPart{{r, v}}})
		}
	}
	for _, s := range shapes {
		CMPQ(rows, Imm(uint64(s.code)))
		JEQ(LabelRef(fmt.Sprintf("shape%d", s.code)))
	}
	JMP(LabelRef("end"))
	out := GP64()
	for _, s := range shapes {
		Label(fmt.Sprintf("shape%d", s.code))
		most := 0
		var acc [][]VecVirtual // of each row, from the first part on
		for _, part := range s.parts {
			most = max(most, part.vectors)
			for range part.rows {
				row := make([]VecVirtual, part.vectors)
				for v := range row {
					row[v] = YMM()
				}
				acc = append(acc, row)
			}
		}
		each := func(move func(m Mem, x VecVirtual)) {
			MOVQ(dst, out)
			for _, row := range acc {
				for v, x := range row {
					move(Mem{Base: out, Disp: v * vector}, x)
				}
				ADDQ(width, out)
			}
		}
		each(func(m Mem, x VecVirtual) { VMOVUPD(m, x) })
		x, by := make([]VecVirtual, most), YMM()
		for v := range x {
			x[v] = YMM()
		}
		Label(fmt.Sprintf("entry%d", s.code))
		for v := range x {
			VMOVUPD(Mem{Base: b, Disp: v * vector}, x[v])
		}
		for r, row := range acc {
			VBROADCASTSD(Mem{Base: a, Disp: r * double}, by)
			for v := range row {
				VFMADD231PD(x[v], by, row[v])
			}
		}
		ADDQ(width, a)
		ADDQ(width, b)
		DECQ(entries)
		JNZ(LabelRef(fmt.Sprintf("entry%d", s.code)))
		each(func(m Mem, x VecVirtual) { VMOVUPD(x, m) })
		JMP(LabelRef("end"))
	}
	Label("end")
	VZEROUPPER()
	RET()
}

// gather: v[e] = bt[cols[e]], with a[e] in one place of it.
func gather() {
	TEXT("gatherAVX", NOSPLIT, "func(v, bt []float64, width int, cols []int32, a []float64, place int)")
	Pragma("noescape")
	Doc("gatherAVX copies the rows cols[e] of bt, of the given width, to the rows e of v, and puts a[e] into the given place of each.")
	v, bt, width, cols, a, place := pointer("v"), pointer("bt"), count("width"), pointer("cols"), pointer("a"), count("place")
	entries := Load(Param("cols").Len(), GP64())
	from, at, value := GP64(), GP64(), GP64()
	x := YMM()
	SHLQ(Imm(3), width)
	loop("gather", entries, func() {
		MOVLQSX(Mem{Base: cols}, from)
		IMULQ(width, from)
		ADDQ(bt, from)
		MOVQ(Mem{Base: a}, value)
		XORQ(at, at)
		Label("gather_vector")
		VMOVUPD(Mem{Base: from, Index: at, Scale: 1}, x)
		VMOVUPD(x, Mem{Base: v, Index: at, Scale: 1})
		ADDQ(Imm(vector), at)
		CMPQ(at, width)
		JLT(LabelRef("gather_vector"))
		MOVQ(value, Mem{Base: v, Index: place, Scale: double})
		ADDQ(width, v)
		ADDQ(Imm(4), cols)
		ADDQ(Imm(double), a)
	})
	VZEROUPPER()
	RET()
}

// combine: r[e] = Σ_y v[e,y]·w[y], four e at a time, with Σ a[e]·r[e] and Σ r[e]².
func combine() {
	TEXT("combineAVX", NOSPLIT, "func(r, v, w, a []float64, entries, width int) (ar, rr float64)")
	Pragma("noescape")
	Doc("combineAVX sets r[e] = Σ_y v[e·width+y]·w[y] for e below entries, a multiple of four, and returns Σ a[e]·r[e] and Σ r[e]².")
	r, v, w, a, entries, width := pointer("r"), pointer("v"), pointer("w"), pointer("a"), count("entries"), count("width")
	SHLQ(Imm(3), width)
	three, at, by := GP64(), GP64(), YMM()
	LEAQ(Mem{Base: width, Index: width, Scale: 2}, three)
	SHRQ(Imm(2), entries)
	ar, rr := YMM(), YMM()
	VXORPD(ar, ar, ar)
	VXORPD(rr, rr, rr)
	loop("combine", entries, func() {
		var acc [4]VecVirtual
		for e := range acc {
			acc[e] = YMM()
			VXORPD(acc[e], acc[e], acc[e])
		}
		XORQ(at, at)
		Label("combine_vector")
		VMOVUPD(Mem{Base: w, Index: at, Scale: 1}, by)
		VFMADD231PD(Mem{Base: v}, by, acc[0])
		VFMADD231PD(Mem{Base: v, Index: width, Scale: 1}, by, acc[1])
		VFMADD231PD(Mem{Base: v, Index: width, Scale: 2}, by, acc[2])
		VFMADD231PD(Mem{Base: v, Index: three, Scale: 1}, by, acc[3])
		ADDQ(Imm(vector), v)
		ADDQ(Imm(vector), at)
		CMPQ(at, width)
		JLT(LabelRef("combine_vector"))
		ADDQ(three, v)
		lo, hi := YMM(), YMM()
		VHADDPD(acc[1], acc[0], acc[0])
		VHADDPD(acc[3], acc[2], acc[2])
		VPERM2F128(Imm(0x20), acc[2], acc[0], lo)
		VPERM2F128(Imm(0x31), acc[2], acc[0], hi)
		VADDPD(lo, hi, lo)
		VMOVUPD(lo, Mem{Base: r})
		VFMADD231PD(Mem{Base: a}, lo, ar)
		VFMADD231PD(lo, lo, rr)
		ADDQ(Imm(vector), r)
		ADDQ(Imm(vector), a)
	})
	returnSum(ar, "ar")
	returnSum(rr, "rr")
	VZEROUPPER()
	RET()
}

// returnSum returns the sum of the numbers of a vector.
func returnSum(x VecVirtual, name string) {
	half := XMM()
	VEXTRACTF128(Imm(1), x, half)
	VADDPD(half, x.AsX(), half)
	VHADDPD(half, half, half)
	Store(half, Return(name))
}

// products: Σ a[e]·r[e] and Σ r[e]².
func products() {
	TEXT("productsAVX", NOSPLIT, "func(a, r []float64, entries int) (ar, rr float64)")
	Pragma("noescape")
	Doc("productsAVX returns Σ a[e]·r[e] and Σ r[e]² over e below entries, a multiple of eight.")
	a, r, entries := pointer("a"), pointer("r"), count("entries")
	var ar, rr [2]VecVirtual
	for h := range 2 {
		ar[h], rr[h] = YMM(), YMM()
		VXORPD(ar[h], ar[h], ar[h])
		VXORPD(rr[h], rr[h], rr[h])
	}
	SHRQ(Imm(3), entries)
	loop("products", entries, func() {
		for h := range 2 {
			x := YMM()
			VMOVUPD(Mem{Base: r, Disp: h * vector}, x)
			VFMADD231PD(Mem{Base: a, Disp: h * vector}, x, ar[h])
			VFMADD231PD(x, x, rr[h])
		}
		ADDQ(Imm(2*vector), a)
		ADDQ(Imm(2*vector), r)
	})
	VADDPD(ar[1], ar[0], ar[0])
	VADDPD(rr[1], rr[0], rr[0])
	returnSum(ar[0], "ar")
	returnSum(rr[0], "rr")
	VZEROUPPER()
	RET()
}

// addSquares: sum += z∘z for every row z, eight vectors at a time, then one.
func addSquares() {
	TEXT("addSquaresAVX", NOSPLIT, "func(sum, z []float64, stride, rows int)")
	Pragma("noescape")
	Doc("addSquaresAVX adds z[i·stride+j]² to sum[j], row after row, for all of sum, whose length is a multiple of four.")
	sum, z, stride, rows := pointer("sum"), pointer("z"), count("stride"), count("rows")
	n, at, left := Load(Param("sum").Len(), GP64()), GP64(), GP64()
	SHLQ(Imm(3), stride)
	SHRQ(Imm(2), n)
	for _, vectors := range []int{8, 1} {
		name := fmt.Sprintf("vectors%d", vectors)
		Label(name)
		CMPQ(n, Imm(uint64(vectors)))
		JLT(LabelRef(name + "_end"))
		acc := make([]VecVirtual, vectors)
		for v := range acc {
			acc[v] = YMM()
			VMOVUPD(Mem{Base: sum, Disp: v * vector}, acc[v])
		}
		MOVQ(z, at)
		MOVQ(rows, left)
		loop(name+"_row", left, func() {
			for v, a := range acc {
				x := YMM()
				VMOVUPD(Mem{Base: at, Disp: v * vector}, x)
				VFMADD231PD(x, x, a)
			}
			ADDQ(stride, at)
		})
		for v, a := range acc {
			VMOVUPD(a, Mem{Base: sum, Disp: v * vector})
		}
		ADDQ(U32(uint32(vectors*vector)), sum)
		ADDQ(U32(uint32(vectors*vector)), z)
		SUBQ(Imm(uint64(vectors)), n)
		JMP(LabelRef(name))
		Label(name + "_end")
	}
	VZEROUPPER()
	RET()
}

// peak: independent chains of FMAs on registers, nothing else.
func peak() {
	TEXT("peakAVX", NOSPLIT, "func(x []float64, n int)")
	Pragma("noescape")
	Doc("peakAVX does n rounds of twelve vector FMAs on registers, starting from the four numbers of x.")
	x, n := pointer("x"), count("n")
	by := YMM()
	VMOVUPD(Mem{Base: x}, by)
	var acc [12]VecVirtual
	for i := range acc {
		acc[i] = YMM()
		VMOVAPD(by, acc[i])
	}
	loop("peak", n, func() {
		for _, a := range acc {
			VFMADD213PD(by, by, a)
		}
	})
	for _, a := range acc[1:] {
		VADDPD(a, acc[0], acc[0])
	}
	VMOVUPD(acc[0], Mem{Base: x})
	VZEROUPPER()
	RET()
}
