package openflow

// Exact10 reports whether the match came from OpenFlow 1.0 without any wildcard. An entry with such
// a match has the highest priority, whatever the message says (OpenFlow 1.0, section 3.4).
func (m Match) Exact10() bool { return m.from10() && be32(m.fixed)&wild10Any == 0 }

// wild10Any are the bits of all wildcards; of the counts of wildcarded address bits any is one.
const wild10Any = 0xff | 63<<shift10Src | 63<<shift10Dst | wild10PCP | wild10TOS
