package plan

// Selector selects flow entries by cookie, in requests of OpenFlow 1.3: those whose cookie has
// Value in the bits of Mask.
type Selector struct{ Value, Mask uint64 }

// Has reports whether an entry with this cookie is selected.
func (s Selector) Has(cookie uint64) bool { return cookie&s.Mask == s.Value }

// KindSelector selects the entries of one kind of a domain.
func KindSelector(domain uint16, k Kind) Selector {
	return Selector{Cookie{Domain: domain, Kind: k}.Encode(), KindMask}
}

// FirmSelectors select the firm entries of a domain and none of its soft ones, each entry once. A
// switch may hold soft entries by the hundred thousand: nobody has to read those to see the firm
// ones: those of operators come with those of applications.
func FirmSelectors(domain uint16) []Selector {
	const pair = DomainMask | 0xe<<kindShift  // an even kind and the one after it
	const fours = DomainMask | 0xb<<kindShift // a kind and the fourth after it
	of := func(k Kind, mask uint64) Selector {
		return Selector{Cookie{Domain: domain, Kind: k}.Encode(), mask}
	}
	return []Selector{of(KindInfrastructure, pair), of(KindOperator, fours), of(KindIntent, pair)}
}
