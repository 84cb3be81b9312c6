package emu

// random is a small seeded source of randomness (splitmix64, Steele and others, 2014).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// float is from 0 to below 1.
func (r *random) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// seeded is a source of its own for each number of each kind.
func seeded(seed uint64, kind, number int) random {
	r := random(seed)
	r = random(r.next() ^ uint64(kind)<<56 ^ uint64(number))
	r.next()
	return r
}
