package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// fetch: the lines of a row into the second cache.
func fetch() {
	TEXT("fetchRow", NOSPLIT, "func(columns []int32, values []float64)")
	Pragma("noescape")
	Doc("fetchRow asks for the lines of both, which have a number each at least.")
	for _, part := range []struct {
		name string
		size int
	}{{"columns", 4}, {"values", double}} {
		at, end := pointer(part.name), Load(Param(part.name).Len(), GP64())
		LEAQ(Mem{Base: at, Index: end, Scale: uint8(part.size), Disp: -1}, end) // the last byte
		Label(part.name)
		PREFETCHT1(Mem{Base: at})
		ADDQ(Imm(wide), at)
		CMPQ(at, end)
		JLT(LabelRef(part.name))
		PREFETCHT1(Mem{Base: end})
	}
	RET()
}
