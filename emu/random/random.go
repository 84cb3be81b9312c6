package random

import "math"

// Source is a small seeded source of randomness (splitmix64, Steele and others, 2014).
type Source uint64

// Next is a number of 64 bits.
func (r *Source) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Float is from 0 to below 1.
func (r *Source) Float() float64 { return float64(r.Next()>>11) / (1 << 53) }

// Seeded is a source of its own for each number of each kind.
func Seeded(seed uint64, kind, number int) Source {
	r := Source(seed)
	r = Source(r.Next() ^ uint64(kind)<<56 ^ uint64(number))
	r.Next()
	return r
}

// Normal is a normally distributed number (Box and Muller, 1958).
func (r *Source) Normal() float64 {
	return math.Sqrt(-2*math.Log(1-r.Float())) * math.Cos(2*math.Pi*r.Float())
}
