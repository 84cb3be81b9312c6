package report

import (
	"fmt"
	"math"
)

// Thousands prints a number as people read it: 1,234,567.
func Thousands[T int | int64 | uint64 | float64](v T) string {
	s := fmt.Sprintf("%.0f", float64(v))
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ThreeDigits prints a number to about three digits.
func ThreeDigits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return Thousands(v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a == 0:
		return "0"
	case a < 0.1:
		return fmt.Sprintf("%.2g", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// FormatMicros prints microseconds in a unit that suits them.
func FormatMicros(us float64) string {
	switch a := math.Abs(us); {
	case a >= 1e6:
		return ThreeDigits(us/1e6) + " s"
	case a >= 1e3:
		return ThreeDigits(us/1e3) + " ms"
	default:
		return ThreeDigits(us) + " µs"
	}
}

// Plural is a number with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}
