package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/weirnet/weir/api/client"
)

var groupResource = &resource[client.Group]{
	named:  true,
	header: []string{"SWITCH", "GROUP", "TYPE", "BUCKETS", "STATE", "RULES", "OWNERS", "INSTALLED"},
	cells: func(g client.Group) []string {
		return cells(g.DPID, objectNumber(g.Group), g.Type, texts(g.Buckets, bucketText), objectState(&g.ObjectStatus),
			g.Rules, g.Owners, g.Held)
	},
	key: func(g client.Group) string { return objectKey(g.DPID, g.Group, g.Type+texts(g.Buckets, bucketText)) },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Group], error) {
		return c.Groups(ctx, id)
	},
}

var meterResource = &resource[client.Meter]{
	named:  true,
	header: []string{"SWITCH", "METER", "UNIT", "BANDS", "STATE", "RULES", "OWNERS", "INSTALLED"},
	cells: func(m client.Meter) []string {
		return cells(m.DPID, objectNumber(m.Meter), m.Unit, texts(m.Bands, bandText), objectState(&m.ObjectStatus), m.Rules,
			m.Owners, m.Held)
	},
	key: func(m client.Meter) string { return objectKey(m.DPID, m.Meter, m.Unit+texts(m.Bands, bandText)) },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Meter], error) {
		return c.Meters(ctx, id)
	},
}

// objectNumber is the number of a group or meter; empty if it has none yet.
func objectNumber(n *uint32) string {
	return optional(n, func(n uint32) string { return fmt.Sprint(n) })
}

// objectKey is the number of a group or meter at a switch, or its content if it has none yet.
func objectKey(dpid string, number *uint32, content string) string {
	if number == nil {
		return dpid + " " + content
	}
	return fmt.Sprint(dpid, " ", *number)
}

func objectState(s *client.ObjectStatus) string {
	if s.Reason == "" {
		return s.State
	}
	return s.State + ": " + s.Reason
}

// texts are the texts of values with spaces between.
func texts[T any](list []T, text func(*T) string) string {
	words := make([]string, len(list))
	for i := range list {
		words[i] = text(&list[i])
	}
	return strings.Join(words, " ")
}

// bucketText is a bucket as weir check writes it.
func bucketText(b *client.Bucket) string {
	var parts []string
	if b.Weight != 0 {
		parts = append(parts, fmt.Sprintf("weight=%d", b.Weight))
	}
	if b.WatchPort != nil {
		parts = append(parts, "watch_port="+portNumber(*b.WatchPort))
	}
	if b.WatchGroup != nil {
		parts = append(parts, fmt.Sprintf("watch_group=%d", *b.WatchGroup))
	}
	return "{" + strings.Join(append(parts, "actions=["+strings.Join(b.Actions, ",")+"]"), ",") + "}"
}

// bandText is a band as weir check writes it.
func bandText(b *client.Band) string {
	text := fmt.Sprintf("{%s,rate=%d", b.Type, b.Rate)
	if b.Burst != 0 {
		text += fmt.Sprintf(",burst=%d", b.Burst)
	}
	if b.PrecLevel != 0 {
		text += fmt.Sprintf(",prec_level=%d", b.PrecLevel)
	}
	return text + "}"
}
