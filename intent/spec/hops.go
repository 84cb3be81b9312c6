package spec

import (
	"strconv"

	"github.com/weirnet/weir/topology"
)

// checkPath wants the hops of a path, and no ends.
func checkPath(src, dst []End, hops []topology.Hop) error {
	switch {
	case len(src) > 0:
		return wrong("src", src[0].text(Path),
			"nothing: an intent of kind path has hops, and begins where the first comes in")
	case len(dst) > 0:
		return wrong("dst", dst[0].text(Path), "nothing: an intent of kind path has hops, and ends where the last goes out")
	}
	return checkHops(hops)
}

// checkHops looks at the hops of a path, one by one: whether links join them is the network's matter.
func checkHops(hops []topology.Hop) error {
	switch {
	case len(hops) == 0:
		return wrong("hops", "nothing", `a list such as [{"dpid":"00000000000000a1","in":1,"out":2}], ingress first`)
	case len(hops) > MaxHops:
		return wrong("hops", strconv.Itoa(len(hops))+" hops", "at most %d", MaxHops)
	}
	for i, h := range hops {
		if err := checkHop(i, h); err != nil {
			return err
		}
		for j, g := range hops[:i] {
			if g.DPID == h.DPID && g.In == h.In {
				return wrong(nth("hops", i, len(hops)), h.DPID.String()+" in by port "+strconv.FormatUint(uint64(h.In), 10),
					"a switch and port that the path has not come in by before, at hops[%d]", j)
			}
		}
	}
	return nil
}

func checkHop(i int, h topology.Hop) error {
	field := "hops[" + strconv.Itoa(i) + "]"
	number := func(p uint32) string { return strconv.FormatUint(uint64(p), 10) }
	switch {
	case h.In == 0 || h.In > MaxPort:
		return wrong(field+".in", number(h.In), "1 to %d", uint32(MaxPort))
	case h.Out == 0 || h.Out > MaxPort:
		return wrong(field+".out", number(h.Out), "1 to %d", uint32(MaxPort))
	case h.Out == h.In:
		return wrong(field+".out", number(h.Out), "another port than the one it comes in by")
	}
	return nil
}
