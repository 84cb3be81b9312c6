package cli

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
)

// shownIntent is an intent for people: with its path in a line, and decimal counts.
type shownIntent struct {
	*client.Intent
	Path    string        `json:"path,omitempty"`
	Traffic *shownTraffic `json:"traffic,omitempty"`
}

// shownTraffic is client.Traffic with decimal counts.
type shownTraffic struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
	Entries int    `json:"entries"`
	Missing string `json:"missing,omitempty"`
}

// writeIntent shows one intent, and what it has carried if that is known. JSON is what the REST interface answers.
func writeIntent(w io.Writer, f format, in *client.Intent, known names) error {
	shown := shownIntent{Intent: in, Path: known.text(pathOf(in))}
	if t := in.Traffic; t != nil {
		shown.Traffic = &shownTraffic{uint64(t.Packets), uint64(t.Bytes), t.Entries, t.Missing}
	}
	switch f {
	case formatTable, formatWide:
		header, cells := intentKind.header, intentKind.cells(*in)
		if t := shown.Traffic; t != nil {
			header = append(slices.Clone(header), "PACKETS", "BYTES", "MISSING")
			cells = append(cells, strconv.FormatUint(t.Packets, 10), strconv.FormatUint(t.Bytes, 10), t.Missing)
		}
		rows := [][]string{cells}
		if f == formatTable {
			known.in(rows)
		}
		return writeTable(w, [][]string{header, cells})
	case formatJSON:
		return writeValue(w, f, in)
	}
	return writeValue(w, f, shown)
}

// pathOf is the way of an intent in one line: "s1/3 → s5 → s4/3"; between hosts the way there. One whose packets take several ways at a
// time has them in routes only.
func pathOf(in *client.Intent) string {
	if len(in.Routes) == 0 || len(in.Routes) > 1 && in.Kind != client.HostToHost {
		return ""
	}
	hops := in.Routes[0].Hops
	var parts []string
	for i, h := range hops {
		if len(h.Out) != 1 {
			return ""
		}
		switch {
		case i == 0:
			parts = append(parts, h.DPID+"/"+portNumber(h.In))
		case i < len(hops)-1:
			parts = append(parts, h.DPID)
		}
		if i == len(hops)-1 {
			parts = append(parts, h.DPID+"/"+portNumber(h.Out[0]))
		}
	}
	return strings.Join(parts, " → ")
}
