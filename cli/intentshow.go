package cli

import (
	"io"
	"slices"
	"strconv"

	"github.com/weirnet/weir/api/client"
)

// shownIntent is an intent for people: with decimal counts.
type shownIntent struct {
	*client.Intent
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
func writeIntent(w io.Writer, f format, in *client.Intent) error {
	shown := shownIntent{Intent: in}
	if t := in.Traffic; t != nil {
		shown.Traffic = &shownTraffic{uint64(t.Packets), uint64(t.Bytes), t.Entries, t.Missing}
	}
	switch f {
	case formatTable:
		header, cells := intentKind.header, intentKind.cells(*in)
		if t := shown.Traffic; t != nil {
			header = append(slices.Clone(header), "PACKETS", "BYTES", "MISSING")
			cells = append(cells, strconv.FormatUint(t.Packets, 10), strconv.FormatUint(t.Bytes, 10), t.Missing)
		}
		return writeTable(w, [][]string{header, cells})
	case formatJSON:
		return writeValue(w, f, in)
	}
	return writeValue(w, f, shown)
}
