package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
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

// toLanes: rows of eight squares as lane arrays, eight numbers of each at a time.
func toLanes() {
	TEXT("toLanesAVX512", NOSPLIT, "func(dst, squares []float64, stride, width, first, rows int)")
	Pragma("noescape")
	Doc("toLanesAVX512 writes, for x from first on and so many rows, the first x+1 numbers of row x of eight squares, which lie stride apart, to the lane arrays of dst, row after row.")
	dst, from := pointer("dst"), pointer("squares")
	stride, width, x, rows := count("stride"), count("width"), count("first"), count("rows")
	SHLQ(Imm(3), stride)
	SHLQ(Imm(3), width)
	three, half, left, next := GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
	number := func(lane int) (Mem, VecVirtual) {
		m := Mem{Base: from}
		if lane >= 4 {
			m.Base = half
		}
		switch lane % 4 {
		case 1:
			m.Index, m.Scale = stride, 1
		case 2:
			m.Index, m.Scale = stride, 2
		case 3:
			m.Index, m.Scale = three, 1
		}
		return m, ZMM()
	}
	MOVQ(from, next)
	INCQ(x)
	loop("row", rows, func() {
		MOVQ(next, from)
		ADDQ(width, next)
		MOVQ(x, left)
		Label("block")
		LEAQ(Mem{Base: from, Index: stride, Scale: 4}, half)
		var a, b [8]VecVirtual
		for lane := range a {
			var m Mem
			m, a[lane] = number(lane)
			VMOVUPD(m, a[lane])
			b[lane] = ZMM()
		}
		for i := 0; i < 8; i += 2 { // numbers of two lanes
			VUNPCKLPD(a[i+1], a[i], b[i])
			VUNPCKHPD(a[i+1], a[i], b[i+1])
		}
		for i := range 2 { // of four
			for h := 0; h < 8; h += 4 {
				VSHUFF64X2(Imm(0x88), b[h+i+2], b[h+i], a[h+i])
				VSHUFF64X2(Imm(0xdd), b[h+i+2], b[h+i], a[h+i+2])
			}
		}
		// a[i] has the numbers i and i+4 of the lanes 0 to 3, a[4+i] of the others.
		for i := range 4 {
			VSHUFF64X2(Imm(0x88), a[4+i], a[i], b[i])
			VSHUFF64X2(Imm(0xdd), a[4+i], a[i], b[4+i])
		}
		for i, v := range b {
			VMOVUPD(v, Mem{Base: dst, Disp: i * wide})
		}
		ADDQ(Imm(wide), from)
		CMPQ(left, Imm(8))
		JLE(LabelRef("last"))
		ADDQ(U32(8*wide), dst)
		SUBQ(Imm(8), left)
		JMP(LabelRef("block"))
		Label("last")
		SHLQ(Imm(6), left)
		ADDQ(left, dst)
		INCQ(x)
	})
	VZEROUPPER()
	RET()
}
