// Command gen writes the AVX2 versions of the loops that make rows of buffers.
// It is a module of its own so that the project itself does not depend on avo.
//
//	go run . -out ../decode_amd64.s -stubs ../stubs_amd64.go -pkg pack
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	narrowColumns()
	wideColumns()
	fromFloat32()
	Generate()
}

// pointer loads the base of a slice parameter.
func pointer(name string) Register { return Load(Param(name).Base(), GP64()) }

// loop emits a loop that runs n times, n > 0 not assumed.
func loop(n Register, body func()) {
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("next")
	body()
	DECQ(n)
	JNZ(LabelRef("next"))
	Label("done")
	VZEROUPPER()
	RET()
}

func narrowColumns() {
	TEXT("narrowColumnsAVX", NOSPLIT, "func(to []int32, low []uint16, n int)")
	Pragma("noescape")
	Doc("narrowColumnsAVX makes n times 16 columns of their two bytes.")
	to, low, n := pointer("to"), pointer("low"), Load(Param("n"), GP64())
	a, b := YMM(), YMM()
	loop(n, func() {
		VPMOVZXWD(Mem{Base: low}, a)
		VPMOVZXWD(Mem{Base: low, Disp: 16}, b)
		VMOVDQU(a, Mem{Base: to})
		VMOVDQU(b, Mem{Base: to, Disp: 32})
		ADDQ(Imm(32), low)
		ADDQ(Imm(64), to)
	})
}

func wideColumns() {
	TEXT("wideColumnsAVX", NOSPLIT, "func(to []int32, low []uint16, high []uint8, n int)")
	Pragma("noescape")
	Doc("wideColumnsAVX makes n times 16 columns of their two low bytes and their high one.")
	to, low, high, n := pointer("to"), pointer("low"), pointer("high"), Load(Param("n"), GP64())
	a, b, c, d := YMM(), YMM(), YMM(), YMM()
	loop(n, func() {
		VPMOVZXWD(Mem{Base: low}, a)
		VPMOVZXWD(Mem{Base: low, Disp: 16}, b)
		VPMOVZXBD(Mem{Base: high}, c)
		VPMOVZXBD(Mem{Base: high, Disp: 8}, d)
		VPSLLD(Imm(16), c, c)
		VPSLLD(Imm(16), d, d)
		VPOR(a, c, a)
		VPOR(b, d, b)
		VMOVDQU(a, Mem{Base: to})
		VMOVDQU(b, Mem{Base: to, Disp: 32})
		ADDQ(Imm(32), low)
		ADDQ(Imm(16), high)
		ADDQ(Imm(64), to)
	})
}

func fromFloat32() {
	TEXT("fromFloat32AVX", NOSPLIT, "func(to []float64, from []float32, n int)")
	Pragma("noescape")
	Doc("fromFloat32AVX makes n times 16 float64 of float32.")
	to, from, n := pointer("to"), pointer("from"), Load(Param("n"), GP64())
	loop(n, func() {
		for x := range 4 {
			v := YMM()
			VCVTPS2PD(Mem{Base: from, Disp: 16 * x}, v)
			VMOVUPD(v, Mem{Base: to, Disp: 32 * x})
		}
		ADDQ(Imm(64), from)
		ADDQ(U32(128), to)
	})
}
