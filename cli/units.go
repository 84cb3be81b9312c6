package cli

import (
	"strconv"
	"time"

	"github.com/weirnet/weir/api/client"
)

// The functions of this file format quantities for tables, with decimal prefixes. An unknown one is
// an empty cell.

// prefixed formats a quantity with three digits and a prefix: 1.23M.
func prefixed(x float64, unit string) string {
	prefixes := []string{"", "k", "M", "G", "T", "P", "E"}
	i := 0
	for x >= 999.5 && i < len(prefixes)-1 {
		x, i = x/1000, i+1
	}
	digits := 2
	switch {
	case i == 0 && x == float64(int64(x)), x >= 99.95:
		digits = 0
	case x >= 9.995:
		digits = 1
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + prefixes[i] + unit
}

// optional formats what may not be known.
func optional[T any](v *T, text func(T) string) string {
	if v == nil {
		return ""
	}
	return text(*v)
}

// optionalBytes formats bytes: 1.23MB.
func optionalBytes(n *client.Hex64) string {
	return optional(n, func(n client.Hex64) string { return prefixed(float64(n), "B") })
}

// optionalQuantity formats a count: 1.23M.
func optionalQuantity(n *client.Hex64) string {
	return optional(n, func(n client.Hex64) string { return prefixed(float64(n), "") })
}

// optionalCount formats a count with all its digits.
func optionalCount(n *client.Hex64) string { return optional(n, count) }

// bitRate formats a rate in bytes a second in bits: 1.23Mbit/s.
func bitRate(bytes *float64) string {
	return optional(bytes, func(v float64) string { return prefixed(8*v, "bit/s") })
}

// optionalTimestamp formats the time of a reading.
func optionalTimestamp(at *time.Time) string { return optional(at, timestamp) }

// perSecond formats a rate: 1.23k/s.
func perSecond(v *float64) string {
	return optional(v, func(v float64) string { return prefixed(v, "/s") })
}
