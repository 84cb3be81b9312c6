package calibration

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/probe/fit"
)

// join adds what was measured in another turn of the same subject: times of the same sizes and loads. A
// quantity has figures if it had some in any turn; why it had none in another is in the notes that come back.
func (m *Measured) join(other *Measured) (notes []string) {
	m.Latency = joinSizes(m.Latency, other.Latency)
	m.Setup = joinSizes(m.Setup, other.Setup)
	m.Share = append(m.Share, other.Share...)
	for _, load := range other.Loads {
		at := slices.IndexFunc(m.Loads, func(l fit.Loaded) bool { return l.RateBPS == load.RateBPS })
		if at < 0 {
			m.Loads = append(m.Loads, load)
			continue
		}
		m.Loads[at].Sizes = joinSizes(m.Loads[at].Sizes, load.Sizes)
	}
	if m.Switch == nil {
		m.Switch = other.Switch
	}
	for q, err := range other.Refused {
		m.refuse(q, err)
	}
	for q, err := range m.Refused {
		if m.has(q) {
			notes = append(notes, fmt.Sprintf("%v: no figure in one turn: %v", q, err))
			delete(m.Refused, q)
		}
	}
	slices.Sort(notes)
	return notes
}

// joinSizes adds the times of each size to those of the same one.
func joinSizes(list, other []fit.Sized) []fit.Sized {
	for _, s := range other {
		at := slices.IndexFunc(list, func(l fit.Sized) bool { return l.Payload == s.Payload })
		if at < 0 {
			list = append(list, s)
			continue
		}
		list[at].Took = slices.Concat(list[at].Took, s.Took)
	}
	return list
}

// drop takes the times of quantities out.
func (m *Measured) drop(which map[Quantity]error) {
	for q, why := range which {
		for _, s := range m.sizes(q) {
			if s.Payload == q.Size {
				s.Took = nil
			}
		}
		m.refuse(q, why)
	}
}

// has reports whether there are times of a quantity that is measured from outside.
func (m *Measured) has(q Quantity) bool {
	return slices.ContainsFunc(m.sizes(q), func(s *fit.Sized) bool { return s.Payload == q.Size && len(s.Took) > 0 })
}

// sizes are the sizes of a quantity that is measured from outside, all of its kind and load.
func (m *Measured) sizes(q Quantity) (list []*fit.Sized) {
	of := m.Latency
	if q.Name == FlowSetup {
		of = m.Setup
	} else if q.LoadBPS > 0 {
		at := slices.IndexFunc(m.Loads, func(l fit.Loaded) bool { return l.RateBPS == q.LoadBPS })
		if at < 0 {
			return nil
		}
		of = m.Loads[at].Sizes
	}
	for i := range of {
		list = append(list, &of[i])
	}
	return list
}
