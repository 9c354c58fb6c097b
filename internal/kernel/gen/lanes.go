package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// cholesky: eight factorisations, a lane array being one register. Every number has its
// terms subtracted in the order of dotLanes.
func cholesky() {
	TEXT("choleskyAVX512", NOSPLIT, "func(k []float64, t int, floor float64)")
	Pragma("noescape")
	Doc("choleskyAVX512 is Cholesky, t being positive.")
	k, t := pointer("k"), count("t")
	floor, one, pivot, x := ZMM(), ZMM(), ZMM(), ZMM()
	at0, err := Param("floor").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(at0.Addr, floor)
	bits := GP64()
	MOVQ(U64(0x3ff0000000000000), bits)
	VPBROADCASTQ(bits, one)
	j, i, b, row, at, size, left := GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	XORQ(j, j)
	MOVQ(k, b)
	Label("pivot")
	MOVQ(j, size)
	SHLQ(Imm(6), size) // bytes before the diagonal
	VMOVUPD(Mem{Base: b, Index: size, Scale: 1}, pivot)
	XORQ(at, at)
	JMP(LabelRef("pivot_test"))
	Label("pivot_dot")
	VMOVUPD(Mem{Base: b, Index: at, Scale: 1}, x)
	VFNMADD231PD(x, x, pivot)
	ADDQ(Imm(wide), at)
	Label("pivot_test")
	CMPQ(at, size)
	JLT(LabelRef("pivot_dot"))
	VMAXPD(pivot, floor, pivot) // stays NaN
	VSQRTPD(pivot, pivot)
	VDIVPD(pivot, one, pivot)
	VMOVUPD(pivot, Mem{Base: b, Index: size, Scale: 1})
	LEAQ(Mem{Base: j, Disp: 1}, i)
	LEAQ(Mem{Base: b, Index: size, Scale: 1, Disp: wide}, row) // of i
	for _, rows := range []int{4, 1} {
		name := map[int]string{4: "four", 1: "one"}[rows]
		Label(name)
		MOVQ(t, left)
		SUBQ(i, left)
		CMPQ(left, Imm(uint64(rows)))
		JLT(LabelRef(name + "_done"))
		pointers := []Mem{{Base: row}}
		step := GP64()
		LEAQ(Mem{Base: i, Disp: 1}, step)
		SHLQ(Imm(6), step) // bytes of row i
		for r := 1; r < rows; r++ {
			next := GP64()
			LEAQ(Mem{Base: pointers[r-1].Base, Index: step, Scale: 1}, next)
			ADDQ(Imm(wide), step)
			pointers = append(pointers, Mem{Base: next})
		}
		acc := make([]Op, rows)
		for r, p := range pointers {
			acc[r] = ZMM()
			p.Index, p.Scale = size, 1
			VMOVUPD(p, acc[r])
		}
		XORQ(at, at)
		JMP(LabelRef(name + "_test"))
		Label(name + "_dot")
		VMOVUPD(Mem{Base: b, Index: at, Scale: 1}, x)
		for r, p := range pointers {
			p.Index, p.Scale = at, 1
			VFNMADD231PD(p, x, acc[r])
		}
		ADDQ(Imm(wide), at)
		Label(name + "_test")
		CMPQ(at, size)
		JLT(LabelRef(name + "_dot"))
		for r, p := range pointers {
			VMULPD(pivot, acc[r], acc[r])
			p.Index, p.Scale = size, 1
			VMOVUPD(acc[r], p)
		}
		LEAQ(Mem{Base: pointers[rows-1].Base, Index: step, Scale: 1}, row)
		ADDQ(Imm(uint64(rows)), i)
		JMP(LabelRef(name))
		Label(name + "_done")
	}
	LEAQ(Mem{Base: b, Index: size, Scale: 1, Disp: wide}, b)
	INCQ(j)
	CMPQ(j, t)
	JLT(LabelRef("pivot"))
	VZEROUPPER()
	RET()
}

// solve: eight solutions, forwards and backwards.
func solve() {
	TEXT("solveAVX512", NOSPLIT, "func(l, u []float64, t int)")
	Pragma("noescape")
	Doc("solveAVX512 is Solve, t being positive.")
	l, u, t := pointer("l"), pointer("u"), count("t")
	acc, x := ZMM(), ZMM()
	row, at, size := GP64(), GP64(), GP64()
	SHLQ(Imm(6), t)
	MOVQ(l, row)
	XORQ(size, size) // bytes before the diagonal
	Label("forward")
	VMOVUPD(Mem{Base: u, Index: size, Scale: 1}, acc)
	XORQ(at, at)
	JMP(LabelRef("forward_test"))
	Label("forward_dot")
	VMOVUPD(Mem{Base: row, Index: at, Scale: 1}, x)
	VFNMADD231PD(Mem{Base: u, Index: at, Scale: 1}, x, acc)
	ADDQ(Imm(wide), at)
	Label("forward_test")
	CMPQ(at, size)
	JLT(LabelRef("forward_dot"))
	VMULPD(Mem{Base: row, Index: size, Scale: 1}, acc, acc)
	VMOVUPD(acc, Mem{Base: u, Index: size, Scale: 1})
	LEAQ(Mem{Base: row, Index: size, Scale: 1, Disp: wide}, row)
	ADDQ(Imm(wide), size)
	CMPQ(size, t)
	JLT(LabelRef("forward"))
	Label("backward")
	SUBQ(size, row) // the row before
	SUBQ(Imm(wide), size)
	VMOVUPD(Mem{Base: u, Index: size, Scale: 1}, acc)
	VMULPD(Mem{Base: row, Index: size, Scale: 1}, acc, acc)
	VMOVUPD(acc, Mem{Base: u, Index: size, Scale: 1})
	XORQ(at, at)
	JMP(LabelRef("backward_test"))
	Label("backward_dot")
	VMOVUPD(Mem{Base: u, Index: at, Scale: 1}, x)
	VFNMADD231PD(Mem{Base: row, Index: at, Scale: 1}, acc, x)
	VMOVUPD(x, Mem{Base: u, Index: at, Scale: 1})
	ADDQ(Imm(wide), at)
	Label("backward_test")
	CMPQ(at, size)
	JLT(LabelRef("backward_dot"))
	TESTQ(size, size)
	JNZ(LabelRef("backward"))
	VZEROUPPER()
	RET()
}
