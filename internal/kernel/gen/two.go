package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Of the correlation with features of two values, as in the kernel package.
const (
	wide       = 2 * vector // bytes of a register of eight numbers
	twoVectors = 8          // such registers for sums, and as many for each of the two values
)

// correlateTwo: z[y] = Σ_x r[x]·(low[y] or high[y], as bit y of bits[cols[x]] says).
// Sums and both values stay in registers: of a column a byte for each eight
// features is read, and nothing else.
func correlateTwo() {
	TEXT("correlateTwoAVX512", NOSPLIT, "func(z, low, high []float64, cols []int32, r []float64, bits []uint64)")
	Pragma("noescape")
	Doc("correlateTwoAVX512 sets z[y] to Σ_x r[x]·b, with b high[y] where bit y of bits[cols[x]] is set, else low[y]; len(z) is a multiple of eight, at most 64.")
	z, low, high := pointer("z"), pointer("low"), pointer("high")
	size := Load(Param("z").Len(), GP64())
	cols, r, bits := pointer("cols"), pointer("r"), pointer("bits")
	entries := Load(Param("cols").Len(), GP64())
	at := GP64()
	by, set, b := ZMM(), K(), ZMM()
	for v := twoVectors; v > 0; v-- {
		CMPQ(size, Imm(uint64(8*v)))
		JEQ(LabelRef(fmt.Sprintf("two%d", v)))
	}
	JMP(LabelRef("end"))
	for v := twoVectors; v > 0; v-- {
		Label(fmt.Sprintf("two%d", v))
		var acc, lo, hi []VecVirtual
		for i := range v {
			acc, lo, hi = append(acc, ZMM()), append(lo, ZMM()), append(hi, ZMM())
			VPXORQ(acc[i], acc[i], acc[i])
			VMOVUPD(Mem{Base: low, Disp: i * wide}, lo[i])
			VMOVUPD(Mem{Base: high, Disp: i * wide}, hi[i])
		}
		loop(fmt.Sprintf("entry%d", v), entries, func() {
			MOVLQSX(Mem{Base: cols}, at)
			VBROADCASTSD(Mem{Base: r}, by)
			LEAQ(Mem{Base: bits, Index: at, Scale: double}, at)
			for i := range v {
				KMOVB(Mem{Base: at, Disp: i}, set)
				VBLENDMPD(hi[i], lo[i], set, b)
				VFMADD231PD(b, by, acc[i])
			}
			ADDQ(Imm(4), cols)
			ADDQ(Imm(double), r)
		})
		for i := range v {
			VMOVUPD(acc[i], Mem{Base: z, Disp: i * wide})
		}
		JMP(LabelRef("end"))
	}
	Label("end")
	VZEROUPPER()
	RET()
}
