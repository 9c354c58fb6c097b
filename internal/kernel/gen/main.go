// Command gen writes the AVX2/FMA versions of the kernels. It is a module of
// its own so that the project itself does not depend on avo.
//
//	go run . -out ../kernel_amd64.s -pkg kernel
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	double = 8          // bytes of a float64
	vector = 4 * double // bytes of a vector register
	lanes  = 2 * vector // bytes of a lane array of eight rows
)

func main() {
	ConstraintExpr("!purego")
	dotLanes()
	dot4Lanes()
	axpyLanes()
	axpy4Lanes()
	gramTile()
	correlate()
	correlateWide()
	split()
	fetch()
	gramTable()
	gramTableBlock()
	combineTable()
	cholesky()
	solve()
	toLanes()
	correlateTwo()
	schurLanes()
	pairGains()
	gram()
	gather()
	combine()
	products()
	addSquares()
	peak()
	Generate()
}

// pointer loads the base of a slice parameter.
func pointer(name string) Register { return Load(Param(name).Base(), GP64()) }

// count loads an int parameter.
func count(name string) Register { return Load(Param(name), GP64()) }

// loop emits a loop that runs n times, n > 0 not assumed.
func loop(name string, n Register, body func()) {
	TESTQ(n, n)
	JZ(LabelRef(name + "_done"))
	Label(name)
	body()
	DECQ(n)
	JNZ(LabelRef(name))
	Label(name + "_done")
}

// dotLanes: acc −= Σ a[l]∘b[l].
func dotLanes() {
	TEXT("dotLanesAVX", NOSPLIT, "func(acc, a, b []float64, n int)")
	Pragma("noescape")
	Doc("dotLanesAVX subtracts from acc the sum of the n products a[l]∘b[l] of lane arrays.")
	acc, a, b, n := pointer("acc"), pointer("a"), pointer("b"), count("n")
	lo, hi, x, y := YMM(), YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: acc}, lo)
	VMOVUPD(Mem{Base: acc, Disp: vector}, hi)
	loop("dot", n, func() {
		VMOVUPD(Mem{Base: a}, x)
		VMOVUPD(Mem{Base: a, Disp: vector}, y)
		VFNMADD231PD(Mem{Base: b}, x, lo)
		VFNMADD231PD(Mem{Base: b, Disp: vector}, y, hi)
		ADDQ(Imm(lanes), a)
		ADDQ(Imm(lanes), b)
	})
	VMOVUPD(lo, Mem{Base: acc})
	VMOVUPD(hi, Mem{Base: acc, Disp: vector})
	VZEROUPPER()
	RET()
}

// dot4Lanes: acc_r −= Σ a_r[l]∘b[l] for four rows r of a packed triangle.
func dot4Lanes() {
	TEXT("dot4LanesAVX", NOSPLIT, "func(a0, a1, a2, a3, b []float64, n int)")
	Pragma("noescape")
	Doc("dot4LanesAVX subtracts, for each of four rows a_r, the sum of the n products a_r[l]∘b[l] from a_r[n].")
	var row [4]Register
	for r := range row {
		row[r] = pointer([]string{"a0", "a1", "a2", "a3"}[r])
	}
	b, n := pointer("b"), count("n")
	offset := GP64()
	MOVQ(n, offset)
	SHLQ(Imm(6), offset)
	var acc [4][2]VecVirtual
	for r := range row {
		for h := range 2 {
			acc[r][h] = YMM()
			VMOVUPD(Mem{Base: row[r], Index: offset, Scale: 1, Disp: h * vector}, acc[r][h])
		}
	}
	at := GP64()
	XORQ(at, at)
	x, y := YMM(), YMM()
	loop("dot4", n, func() {
		VMOVUPD(Mem{Base: b, Index: at, Scale: 1}, x)
		VMOVUPD(Mem{Base: b, Index: at, Scale: 1, Disp: vector}, y)
		for r := range row {
			VFNMADD231PD(Mem{Base: row[r], Index: at, Scale: 1}, x, acc[r][0])
			VFNMADD231PD(Mem{Base: row[r], Index: at, Scale: 1, Disp: vector}, y, acc[r][1])
		}
		ADDQ(Imm(lanes), at)
	})
	for r := range row {
		for h := range 2 {
			VMOVUPD(acc[r][h], Mem{Base: row[r], Index: offset, Scale: 1, Disp: h * vector})
		}
	}
	VZEROUPPER()
	RET()
}

// axpyLanes: dst[l] += c∘a[l].
func axpyLanes() {
	TEXT("axpyLanesAVX", NOSPLIT, "func(dst, c, a []float64, n int)")
	Pragma("noescape")
	Doc("axpyLanesAVX adds c∘a[l] to the n lane arrays dst[l].")
	dst, c, a, n := pointer("dst"), pointer("c"), pointer("a"), count("n")
	lo, hi, x, y := YMM(), YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: c}, lo)
	VMOVUPD(Mem{Base: c, Disp: vector}, hi)
	loop("axpy", n, func() {
		VMOVUPD(Mem{Base: dst}, x)
		VMOVUPD(Mem{Base: dst, Disp: vector}, y)
		VFMADD231PD(Mem{Base: a}, lo, x)
		VFMADD231PD(Mem{Base: a, Disp: vector}, hi, y)
		VMOVUPD(x, Mem{Base: dst})
		VMOVUPD(y, Mem{Base: dst, Disp: vector})
		ADDQ(Imm(lanes), dst)
		ADDQ(Imm(lanes), a)
	})
	VZEROUPPER()
	RET()
}

// axpy4Lanes: dst[l] += Σ_r c_r∘a_r[l], r in order.
func axpy4Lanes() {
	TEXT("axpy4LanesAVX", NOSPLIT, "func(dst, c, a0, a1, a2, a3 []float64, n int)")
	Pragma("noescape")
	Doc("axpy4LanesAVX adds c[r]∘a_r[l], for r from 0 to 3, to the n lane arrays dst[l].")
	dst, c := pointer("dst"), pointer("c")
	var row [4]Register
	var by [4][2]VecVirtual
	for r := range row {
		row[r] = pointer([]string{"a0", "a1", "a2", "a3"}[r])
		for h := range 2 {
			by[r][h] = YMM()
			VMOVUPD(Mem{Base: c, Disp: (2*r + h) * vector}, by[r][h])
		}
	}
	n, at := count("n"), GP64()
	XORQ(at, at)
	x, y := YMM(), YMM()
	loop("axpy4", n, func() {
		VMOVUPD(Mem{Base: dst, Index: at, Scale: 1}, x)
		VMOVUPD(Mem{Base: dst, Index: at, Scale: 1, Disp: vector}, y)
		for r := range row {
			VFMADD231PD(Mem{Base: row[r], Index: at, Scale: 1}, by[r][0], x)
			VFMADD231PD(Mem{Base: row[r], Index: at, Scale: 1, Disp: vector}, by[r][1], y)
		}
		VMOVUPD(x, Mem{Base: dst, Index: at, Scale: 1})
		VMOVUPD(y, Mem{Base: dst, Index: at, Scale: 1, Disp: vector})
		ADDQ(Imm(lanes), at)
	})
	VZEROUPPER()
	RET()
}

// gramTile: a 4×8 tile of VᵀV.
func gramTile() {
	TEXT("gramTileAVX", NOSPLIT, "func(tile, vi, vj []float64, rows, width int)")
	Pragma("noescape")
	Doc("gramTileAVX computes the 4×8 tile Σ_r vi[r,0..3]·vj[r,0..7] over rows that lie width apart.")
	tile, vi, vj, rows, width := pointer("tile"), pointer("vi"), pointer("vj"), count("rows"), count("width")
	SHLQ(Imm(3), width)
	var acc [4][2]VecVirtual
	for r := range acc {
		for h := range 2 {
			acc[r][h] = YMM()
			VXORPD(acc[r][h], acc[r][h], acc[r][h])
		}
	}
	x, y, s := YMM(), YMM(), YMM()
	loop("gram", rows, func() {
		VMOVUPD(Mem{Base: vj}, x)
		VMOVUPD(Mem{Base: vj, Disp: vector}, y)
		for r := range acc {
			VBROADCASTSD(Mem{Base: vi, Disp: r * double}, s)
			VFMADD231PD(x, s, acc[r][0])
			VFMADD231PD(y, s, acc[r][1])
		}
		ADDQ(width, vi)
		ADDQ(width, vj)
	})
	for r := range acc {
		for h := range 2 {
			VMOVUPD(acc[r][h], Mem{Base: tile, Disp: (2*r + h) * vector})
		}
	}
	VZEROUPPER()
	RET()
}

// schurLanes: dst[l] = src[l] − c∘a[l].
func schurLanes() {
	TEXT("schurLanesAVX", NOSPLIT, "func(dst, src, c, a []float64, n int)")
	Pragma("noescape")
	Doc("schurLanesAVX sets the n lane arrays dst[l] to src[l] − c∘a[l].")
	dst, src, c, a, n := pointer("dst"), pointer("src"), pointer("c"), pointer("a"), count("n")
	lo, hi, x, y := YMM(), YMM(), YMM(), YMM()
	VMOVUPD(Mem{Base: c}, lo)
	VMOVUPD(Mem{Base: c, Disp: vector}, hi)
	at := GP64()
	XORQ(at, at)
	loop("schur", n, func() {
		VMOVUPD(Mem{Base: src, Index: at, Scale: 1}, x)
		VMOVUPD(Mem{Base: src, Index: at, Scale: 1, Disp: vector}, y)
		VFNMADD231PD(Mem{Base: a, Index: at, Scale: 1}, lo, x)
		VFNMADD231PD(Mem{Base: a, Index: at, Scale: 1, Disp: vector}, hi, y)
		VMOVUPD(x, Mem{Base: dst, Index: at, Scale: 1})
		VMOVUPD(y, Mem{Base: dst, Index: at, Scale: 1, Disp: vector})
		ADDQ(Imm(lanes), at)
	})
	VZEROUPPER()
	RET()
}

// pairGains: gains[a] += Σ_lanes (y_a − t_a h)² / (d_a − t_a² w), four a at a time.
func pairGains() {
	TEXT("pairGainsAVX", NOSPLIT, "func(gains []float64, base float64, t, y, d, h, w []float64, n int)")
	Pragma("noescape")
	Doc("pairGainsAVX adds to gains[a], for a below n (a multiple of four), base and the sum over lanes of (y[a]−t[a]h)²/(d[a]−t[a]²w).")
	gains, t, y, d, h, w, n := pointer("gains"), pointer("t"), pointer("y"), pointer("d"), pointer("h"), pointer("w"), count("n")
	base := YMM()
	at0, err := Param("base").Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(at0.Addr, base)
	var hv, wv [2]VecVirtual
	for i := range 2 {
		hv[i], wv[i] = YMM(), YMM()
		VMOVUPD(Mem{Base: h, Disp: i * vector}, hv[i])
		VMOVUPD(Mem{Base: w, Disp: i * vector}, wv[i])
	}
	at := GP64()
	XORQ(at, at)
	SHRQ(Imm(2), n)
	loop("pairs", n, func() {
		// Each of four features: the two halves of the lanes become one
		// fraction, so that one division serves eight rows.
		var sum [4]VecVirtual
		for f := range 4 {
			var num, den [2]VecVirtual
			for i := range 2 {
				m := Mem{Index: at, Scale: 1, Disp: f*lanes + i*vector}
				tv, x := YMM(), YMM()
				num[i], den[i] = YMM(), YMM()
				m.Base = t
				VMOVUPD(m, tv)
				m.Base = y
				VMOVUPD(m, num[i])
				VFNMADD231PD(hv[i], tv, num[i])
				VMULPD(num[i], num[i], num[i])
				m.Base = d
				VMOVUPD(m, den[i])
				VMULPD(tv, wv[i], x)
				VFNMADD231PD(tv, x, den[i])
			}
			VMULPD(num[0], den[1], num[0])
			VFMADD231PD(num[1], den[0], num[0])
			VMULPD(den[0], den[1], den[0])
			sum[f] = YMM()
			VDIVPD(den[0], num[0], sum[f])
		}
		// Sums of the four lanes of each of the four features, in one vector.
		lo, hi := YMM(), YMM()
		VHADDPD(sum[1], sum[0], sum[0])
		VHADDPD(sum[3], sum[2], sum[2])
		VPERM2F128(Imm(0x20), sum[2], sum[0], lo)
		VPERM2F128(Imm(0x31), sum[2], sum[0], hi)
		VADDPD(lo, hi, lo)
		VADDPD(base, lo, lo)
		VADDPD(Mem{Base: gains}, lo, lo)
		VMOVUPD(lo, Mem{Base: gains})
		ADDQ(Imm(vector), gains)
		ADDQ(U32(4*lanes), at)
	})
	VZEROUPPER()
	RET()
}
