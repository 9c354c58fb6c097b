package pass

// Making is the part that a worker makes: workers that are more than a function of
// rows (see EachRow) embed it, and add to Now.
type Making[P Part] struct {
	Now   P
	fresh func() P
}

// Makes begins with an empty part; fresh makes one.
func Makes[P Part](fresh func() P) Making[P] { return Making[P]{fresh(), fresh} }

// Part gives the part, and begins the next.
func (m *Making[P]) Part() (Part, error) {
	part := m.Now
	m.Now = m.fresh()
	return part, nil
}
