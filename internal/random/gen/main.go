// Command gen writes the AVX2 version of the middle of Normals. It is a module
// of its own so that the project itself does not depend on avo.
//
//	go run . -out ../normals_amd64.s -pkg random
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const vector = 32 // bytes

// The vectors of the table, in order; then the coefficients, from the highest.
const (
	magic = iota // 2⁵², whose bits below hold an integer
	half
	scale // 2⁻⁵²
	limit // 0.180625
	above
	below = above + 8
)

func main() {
	ConstraintExpr("!purego")
	TEXT("middleAVX", NOSPLIT, "func(bits []uint64, out, table []float64, eights int)")
	Pragma("noescape")
	Doc("middleAVX sets out to the middle of the normal distribution at bits, eight numbers at a time. No product is fused with a sum.")
	bits, out, table := Load(Param("bits").Base(), GP64()), Load(Param("out").Base(), GP64()), Load(Param("table").Base(), GP64())
	n := Load(Param("eights"), GP64())
	at := func(v int) Mem { return Mem{Base: table, Disp: v * vector} }
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("loop")
	// Two vectors side by side hide the time of each step.
	var q, r, a, b [2]VecVirtual
	for h := range 2 {
		q[h], r[h], a[h], b[h] = YMM(), YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: bits, Disp: h * vector}, q[h])
		VPSRLQ(U8(12), q[h], q[h])
		VPOR(at(magic), q[h], q[h])
		VSUBPD(at(magic), q[h], q[h])
		VADDPD(at(half), q[h], q[h])
		VMULPD(at(scale), q[h], q[h])
		VSUBPD(at(half), q[h], q[h])
		VMULPD(q[h], q[h], a[h])
		VMOVUPD(at(limit), r[h])
		VSUBPD(a[h], r[h], r[h])
		VMOVUPD(at(above), a[h])
		VMOVUPD(at(below), b[h])
	}
	for i := 1; i < 8; i++ {
		for h := range 2 {
			VMULPD(r[h], a[h], a[h])
			VMULPD(r[h], b[h], b[h])
			VADDPD(at(above+i), a[h], a[h])
			VADDPD(at(below+i), b[h], b[h])
		}
	}
	for h := range 2 {
		VDIVPD(b[h], a[h], a[h])
		VMULPD(q[h], a[h], a[h])
		VMOVUPD(a[h], Mem{Base: out, Disp: h * vector})
	}
	ADDQ(U8(2*vector), bits)
	ADDQ(U8(2*vector), out)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
	Generate()
}
