package cli

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// shownIntent is an intent as YAML shows it: with its path on one line, and decimal counts.
type shownIntent struct {
	*client.Intent
	Path    string        `json:"path,omitempty"`
	Traffic *shownTraffic `json:"traffic,omitempty"`
}

// shownTraffic is client.Traffic with decimal counts.
type shownTraffic struct {
	Packets     uint64   `json:"packets"`
	Bytes       uint64   `json:"bytes"`
	PacketsRate *float64 `json:"packets_rate"`
	BytesRate   *float64 `json:"bytes_rate"`
	Entries     int      `json:"entries"`
	Missing     string   `json:"missing,omitempty"`
}

// writeIntent shows one intent, and its traffic if that is known. JSON is the answer of the API.
func writeIntent(w io.Writer, f command.Format, in *client.Intent, known names) error {
	shown := shownIntent{Intent: in, Path: known.replace(pathOf(in))}
	if t := in.Traffic; t != nil {
		shown.Traffic = &shownTraffic{uint64(t.Packets), uint64(t.Bytes), t.PacketsRate, t.BytesRate, t.Entries, t.Missing}
	}
	switch f {
	case command.FormatTable, command.FormatWide:
		header, cells := intentResource.header, intentResource.cells(*in)
		if t := shown.Traffic; t != nil {
			header = append(slices.Clone(header), "PACKETS", "BYTES", "PACKETS_RATE", "RATE", "MISSING")
			cells = append(cells, strconv.FormatUint(t.Packets, 10), strconv.FormatUint(t.Bytes, 10),
				perSecond(t.PacketsRate), bitRate(t.BytesRate), t.Missing)
		}
		rows := [][]string{cells}
		if f == command.FormatTable {
			known.replaceIn(rows)
		}
		return command.WriteTable(w, [][]string{header, cells})
	case command.FormatJSON:
		return command.WriteValue(w, f, in)
	}
	return command.WriteValue(w, f, shown)
}

// pathOf formats the path of an intent: "s1/3 -> s5 -> s4/3"; between hosts that from src to dst.
// An intent with several paths at a time lists them in routes only.
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
	return strings.Join(parts, arrow)
}

// rateWait is the time between two readings that make a rate.
const rateWait = time.Second

// trafficOf reads an intent's counters and rates: twice where there is no earlier reading.
func trafficOf(ctx context.Context, c *client.Client, id string) (*client.Traffic, error) {
	t, err := c.IntentTraffic(ctx, id)
	if err != nil || t.PacketsRate != nil || t.Entries == 0 || t.Missing != "" {
		return t, err
	}
	select {
	case <-ctx.Done():
		return t, nil
	case <-time.After(rateWait):
	}
	return c.IntentTraffic(ctx, id)
}
