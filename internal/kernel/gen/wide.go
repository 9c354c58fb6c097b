package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The loops of rows.go again, in registers of eight numbers. They add in the same
// order, so that their sums have the same bits.

// correlateWide is correlate; the last vector of an odd number is one of four.
func correlateWide() {
	TEXT("correlateAVX512", NOSPLIT, "func(z []float64, vectors int, spans, cols []int32, r, b []float64, stride int, ahead []float64, lines int)")
	Pragma("noescape")
	Doc("correlateAVX512 is correlateAVX in registers of eight numbers. With each span it fetches that many lines from ahead on into the second cache.")
	z, vectors, span := pointer("z"), count("vectors"), pointer("spans")
	left := Load(Param("spans").Len(), GP64())
	cols, r, b, stride := pointer("cols"), pointer("r"), pointer("b"), count("stride")
	SHLQ(Imm(3), stride)
	ahead, lines := pointer("ahead"), count("lines")
	row, out, at, end := GP64(), GP64(), GP64(), GP64()
	s := ZMM()
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
		MOVQ(lines, row)
		loop(fmt.Sprintf("ahead%d", v), row, func() {
			PREFETCHT1(Mem{Base: ahead})
			ADDQ(Imm(wide), ahead)
		})
		acc := make([]VecVirtual, (v+1)/2)
		for i := range acc {
			acc[i] = ZMM()
		}
		each := func(do func(i int, a VecVirtual, narrow bool)) {
			for i, a := range acc {
				do(i, a, 2*i+1 == v)
			}
		}
		each(func(i int, a VecVirtual, narrow bool) {
			if narrow {
				VMOVUPD(Mem{Base: out, Disp: i * wide}, a.AsY())
			} else {
				VMOVUPD(Mem{Base: out, Disp: i * wide}, a)
			}
		})
		multiply := func(row Register, s VecVirtual) {
			IMULQ(stride, row)
			ADDQ(b, row)
			each(func(i int, a VecVirtual, narrow bool) {
				if narrow {
					VFMADD231PD(Mem{Base: row, Disp: i * wide}, s.AsY(), a.AsY())
				} else {
					VFMADD231PD(Mem{Base: row, Disp: i * wide}, s, a)
				}
			})
		}
		// Two entries at a time need half the loads.
		other, both := GP64(), XMM()
		SUBQ(Imm(1), end)
		CMPQ(at, end)
		JGE(LabelRef(fmt.Sprintf("last%d", v)))
		Label(fmt.Sprintf("entry%d", v))
		MOVQ(Mem{Base: cols, Index: at, Scale: 4}, other)
		VMOVUPD(Mem{Base: r, Index: at, Scale: double}, both)
		MOVLQSX(other.As32(), row)
		SARQ(Imm(32), other)
		VBROADCASTSD(both, s)
		VPERMILPD(Imm(1), both, both)
		multiply(row, s)
		VBROADCASTSD(both, s)
		multiply(other, s)
		ADDQ(Imm(2), at)
		CMPQ(at, end)
		JLT(LabelRef(fmt.Sprintf("entry%d", v)))
		Label(fmt.Sprintf("last%d", v))
		JNE(LabelRef(fmt.Sprintf("done%d", v)))
		MOVLQSX(Mem{Base: cols, Index: at, Scale: 4}, row)
		VBROADCASTSD(Mem{Base: r, Index: at, Scale: double}, s)
		multiply(row, s)
		Label(fmt.Sprintf("done%d", v))
		each(func(i int, a VecVirtual, narrow bool) {
			if narrow {
				VMOVUPD(a.AsY(), Mem{Base: out, Disp: i * wide})
			} else {
				VMOVUPD(a, Mem{Base: out, Disp: i * wide})
			}
		})
		ADDQ(Imm(12), span)
		SUBQ(Imm(3), left)
		JNZ(LabelRef(fmt.Sprintf("vectors%d", v)))
		JMP(LabelRef("end"))
	}
	Label("end")
	VZEROUPPER()
	RET()
}

// split: of each row the entries below end, sixteen at a time.
func split() {
	TEXT("splitAVX512", NOSPLIT, "func(columns []int32, r []float64, at int, spans, next, ends, fromColumns []int32, fromR []float64, end, step int) (after, used int)")
	Pragma("noescape")
	Doc("splitAVX512 copies the entries of each row i from next[i] on and before ends[i] whose columns are below end; see Split.")
	columns, r, at := pointer("columns"), pointer("r"), count("at")
	span, next, last := pointer("spans"), pointer("next"), pointer("ends")
	rows := Load(Param("next").Len(), GP64())
	fromColumns, fromR, step := pointer("fromColumns"), pointer("fromR"), count("step")
	bound, x, value := ZMM(), ZMM(), ZMM()
	end := count("end")
	VPBROADCASTD(end.(GPVirtual).As32(), bound)
	place, first, cursor, n, left := GP64(), end, GP64(), GP64(), GP64()
	below := K()
	XORQ(place, place)
	loop("row", rows, func() {
		MOVLQSX(Mem{Base: next}, cursor)
		MOVQ(at, first)
		Label("row_more")
		MOVLQSX(Mem{Base: last}, left)
		SUBQ(cursor, left)
		VMOVDQU32(Mem{Base: fromColumns, Index: cursor, Scale: 4}, x)
		VPCMPD(Imm(1), bound, x, below) // x < bound
		KMOVW(below, n.As32())
		NOTQ(n)
		TZCNTQ(n, n) // sixteen at most
		CMPQ(left, n)
		CMOVQLT(left, n)
		VMOVDQU32(x, Mem{Base: columns, Index: at, Scale: 4})
		for h := range 2 {
			VMOVUPD(Mem{Base: fromR, Index: cursor, Scale: double, Disp: h * wide}, value)
			VMOVUPD(value, Mem{Base: r, Index: at, Scale: double, Disp: h * wide})
		}
		ADDQ(n, cursor)
		ADDQ(n, at)
		CMPQ(n, Imm(16))
		JEQ(LabelRef("row_more"))
		MOVL(cursor.As32(), Mem{Base: next})
		MOVL(place.As32(), Mem{Base: span})
		MOVL(first.(GPVirtual).As32(), Mem{Base: span, Disp: 4})
		MOVL(at.(GPVirtual).As32(), Mem{Base: span, Disp: 8})
		LEAQ(Mem{Base: span, Disp: 12}, left)
		CMPQ(at, first)
		CMOVQNE(left, span)
		ADDQ(step, place)
		ADDQ(Imm(4), next)
		ADDQ(Imm(4), last)
	})
	Store(at, ReturnIndex(0))
	Load(Param("spans").Base(), left)
	SUBQ(left, span)
	SHRQ(Imm(2), span)
	Store(span, ReturnIndex(1))
	VZEROUPPER()
	RET()
}
