package pathing

import "time"

// Limits of planned moves of paths that work: hitless transitions.
const (
	// MovesMax is how many of an engine are in progress at a time.
	MovesMax = 512
	// StepTimeout is how long switches may take to confirm one.
	StepTimeout = 10 * time.Second
	// RevertPerSecond is how many paths of an engine may be reverted to shorter ones in a second.
	RevertPerSecond = 64
	// WaitToRestore is how long links must be stable before paths revert to shorter ones.
	WaitToRestore = 30 * time.Second
	// HoldMax is the longest time that a link which flaps must be up before it is used again where there
	// is another path.
	HoldMax = 16 * WaitToRestore
)

// Limits of Linger.
const (
	// LingerMin is the shortest time that packets are taken to be on their way.
	LingerMin = 100 * time.Millisecond
	// LingerUnknown is the shortest where the latency of a link is not known, which takes discovery some
	// twenty probes: the link may lead to another continent.
	LingerUnknown = time.Second
	// transitMax is the longest.
	transitMax = time.Minute
)

// Transit returns how long packets may be on their way along a path that they take no more: twice its
// latency, a minute at most.
func Transit(latencyUS uint64) time.Duration {
	return time.Duration(min(2*min(latencyUS, 1<<40), uint64(transitMax/time.Microsecond))) * time.Microsecond
}

// Linger returns how long the rules of a path stay when packets take it no more: until the last one has
// arrived. unknown: the latency of a link is not known, and is not in the sum.
func Linger(latencyUS uint64, unknown bool) time.Duration {
	least := LingerMin
	if unknown {
		least = LingerUnknown
	}
	return max(least, Transit(latencyUS))
}
