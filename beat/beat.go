package beat

import "time"

// Every is the beat: what is not urgent is done at multiples of it.
const Every = 100 * time.Millisecond

// Phase is how long before a time the last beat was, from 0 to less than Every.
func Phase(t time.Time) time.Duration { return t.Sub(t.Truncate(Every)) }

// Wait is how long after a time the next beat is, from 0 to less than Every.
func Wait(t time.Time) time.Duration {
	if p := Phase(t); p > 0 {
		return Every - p
	}
	return 0
}

// Next is how long after a time the next whole multiple of a number of beats is: more than 0, and no more than that. Who resets a timer to it
// each time stays with the others.
func Next(t time.Time, beats int) time.Duration {
	d := time.Duration(beats) * Every
	return d - t.Sub(t.Truncate(d))
}
