package openflow

// Exact10 reports whether the match came from OpenFlow 1.0 without any wildcard. An entry with such
// a match has the highest priority, whatever the message says (OpenFlow 1.0, section 3.4).
func (m Match) Exact10() bool { return m.as10.means(m.OXM) && m.as10.exact() }
