package random

import (
	"math/bits"
	"slices"
)

// golden is 2⁶⁴ divided by the golden ratio, made odd: the counter's step.
const golden = 0x9e3779b97f4a7c15

// Mix is a bijection of 64-bit words in which every input bit changes about
// half of the output bits. It is the finalizer of SplitMix64 (Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), with
// the constants of Stafford's variant 13 that they use.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash gives 64 random bits for a sequence of words: the same for the same
// words in any run, unrelated for any others, also of another length.
func Hash(words ...uint64) uint64 {
	h := Mix(uint64(len(words)) + golden)
	for _, w := range words {
		h = Mix(h ^ Mix(w+golden))
	}
	return h
}

// HashText is Hash for the bytes of a text.
func HashText(text string) uint64 {
	h := Mix(uint64(len(text)) + golden)
	for len(text) >= 8 {
		h = Mix(h ^ Mix(word(text[:8])+golden))
		text = text[8:]
	}
	if len(text) > 0 {
		h = Mix(h ^ Mix(word(text)+golden))
	}
	return h
}

// word is up to eight bytes as a number, the first of them the lowest.
func word(text string) (w uint64) {
	for i := range len(text) {
		w |= uint64(text[i]) << (8 * i)
	}
	return w
}

// Unit turns 64 random bits into a uniform number in [0,1), a multiple of 2⁻⁵³.
func Unit(bits uint64) float64 { return float64(float64(bits>>11) * 0x1p-53) }

// Stream is one sequence of random numbers. Copying it forks it: both copies
// give the same numbers from there. It is not safe for concurrent use; give
// every goroutine a stream of its own.
type Stream struct{ state uint64 }

// New gives the stream that the seed and the words name. Streams whose words
// differ are unrelated.
func New(seed uint64, stream ...uint64) *Stream {
	key := Hash(seed, uint64(len(stream)))
	for _, w := range stream {
		key = Hash(key, w)
	}
	return &Stream{state: key}
}

// Uint64 gives 64 random bits.
func (s *Stream) Uint64() uint64 {
	s.state += golden
	return Mix(s.state)
}

// Float64 gives a uniform number in [0,1), a multiple of 2⁻⁵³.
func (s *Stream) Float64() float64 { return Unit(s.Uint64()) }

// Normal gives a standard normal number.
func (s *Stream) Normal() float64 { return NormalOf(s.Uint64()) }

// Intn gives a uniform integer in [0,n), each equally likely. It panics if n < 1.
// (Lemire, "Fast random integer generation in an interval", 2019: the high word
// of a 128-bit product, drawn again in the rare case that would favour some.)
func (s *Stream) Intn(n int) int {
	if n < 1 {
		panic("random: Intn needs a positive n")
	}
	high, low := bits.Mul64(s.Uint64(), uint64(n))
	if low < uint64(n) {
		for reject := -uint64(n) % uint64(n); low < reject; {
			high, low = bits.Mul64(s.Uint64(), uint64(n))
		}
	}
	return int(high)
}

// Perm gives a permutation of 0..n-1, each equally likely.
func (s *Stream) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		j := s.Intn(i + 1)
		p[i] = p[j]
		p[j] = i
	}
	return p
}

// Sample gives k distinct integers of [0,n), increasing, every set equally
// likely. It takes memory and time for k only, and panics unless 0 ≤ k ≤ n.
// (Floyd's algorithm: Bentley, "Programming pearls", CACM 30(9), 1987.)
func (s *Stream) Sample(n, k int) []int {
	if k < 0 || k > n {
		panic("random: Sample needs 0 ≤ k ≤ n")
	}
	taken := make(map[int]struct{}, k)
	out := make([]int, 0, k)
	for top := n - k; top < n; top++ {
		x := s.Intn(top + 1)
		if _, again := taken[x]; again {
			x = top
		}
		taken[x] = struct{}{}
		out = append(out, x)
	}
	slices.Sort(out)
	return out
}

// Partial is a Hash whose last word is still open, for many that differ in it
// alone.
type Partial uint64

// NewPartial takes all words but the last.
func NewPartial(words ...uint64) Partial {
	h := Mix(uint64(len(words)+1) + golden)
	for _, w := range words {
		h = Mix(h ^ Mix(w+golden))
	}
	return Partial(h)
}

// Hash is Hash(words..., last).
func (p Partial) Hash(last uint64) uint64 { return Mix(uint64(p) ^ Mix(last+golden)) }

// Streams is New with its last word still open.
type Streams struct{ partial Partial }

// NewStreams takes all words of the streams but the last.
func NewStreams(seed uint64, words ...uint64) Streams {
	key := Hash(seed, uint64(len(words)+1))
	for _, w := range words {
		key = Hash(key, w)
	}
	return Streams{NewPartial(key)}
}

// Of is New(seed, words..., last).
func (f Streams) Of(last uint64) Stream { return Stream{state: f.partial.Hash(last)} }

// At gives what Uint64 would give after n more calls. The stream stays where it
// is.
func (s Stream) At(n int) uint64 { return Mix(s.state + uint64(n+1)*golden) }
