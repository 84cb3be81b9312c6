package cli

import (
	"strconv"
	"time"

	"github.com/weirnet/weir/api/client"
)

// The functions of this file make cells of amounts: for people, with a decimal prefix. What is not known is empty.

// prefixed is an amount with three digits and a prefix: 1.23M.
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

// bytesOf is an amount of bytes: 1.23MB.
func bytesOf(n *client.Hex64) string {
	if n == nil {
		return ""
	}
	return prefixed(float64(*n), "B")
}

// many is a number of things: 1.23M.
func many(n *client.Hex64) string {
	if n == nil {
		return ""
	}
	return prefixed(float64(*n), "")
}

// exact is a number with all its digits.
func exact(n *client.Hex64) string {
	if n == nil {
		return ""
	}
	return count(*n)
}

// bitRate is what a rate in bytes a second is in bits: 1.23Mbit/s.
func bitRate(bytes *float64) string {
	if bytes == nil {
		return ""
	}
	return prefixed(8**bytes, "bit/s")
}

// asOf is when something was true.
func asOf(at *time.Time) string {
	if at == nil {
		return ""
	}
	return moment(*at)
}

// perSecond is a number a second: 1.23k/s.
func perSecond(v *float64) string {
	if v == nil {
		return ""
	}
	return prefixed(*v, "/s")
}
