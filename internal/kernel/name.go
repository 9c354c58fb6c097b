package kernel

// Name says which loops are in use: results of different ones differ in their
// last bits.
func Name() string {
	if accelerated {
		return "avx2"
	}
	return "go"
}
