package paths

import "github.com/weirnet/weir/ruleset"

// inlinePath is a path with its hops in the same allocation, as most are.
type inlinePath struct {
	Path
	hops [inlineHops]*ruleset.Hop
}

const inlineHops = 6

// newPath returns a path with room for some hops.
func newPath(hops int) *Path {
	if hops > inlineHops {
		return &Path{route: ruleset.Route{Hops: make([]*ruleset.Hop, hops)}}
	}
	short := new(inlinePath)
	short.route.Hops = short.hops[:hops:hops]
	return &short.Path
}
