package beat

import "time"

// Every is the tick: periodic work that is not urgent runs at multiples of it.
const Every = 100 * time.Millisecond

// Phase is the time since the last tick, from 0 to less than Every.
func Phase(t time.Time) time.Duration { return t.Sub(t.Truncate(Every)) }

// Wait is the time until the next tick, from 0 to less than Every.
func Wait(t time.Time) time.Duration {
	if p := Phase(t); p > 0 {
		return Every - p
	}
	return 0
}

// Next is the time until the next multiple of a number of ticks: more than 0, and no more than
// that. Timers reset to it each time stay aligned.
func Next(t time.Time, beats int) time.Duration {
	d := time.Duration(beats) * Every
	return d - t.Sub(t.Truncate(d))
}
