package bench

import (
	"fmt"
	"math"
)

// thousands prints a number as people read it: 1,234,567.
func thousands(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// threeDigits prints a number to about three digits.
func threeDigits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return thousands(v)
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

// formatMicros prints microseconds in a unit that suits them.
func formatMicros(us float64) string {
	switch {
	case us >= 1e6:
		return threeDigits(us/1e6) + " s"
	case us >= 1e3:
		return threeDigits(us/1e3) + " ms"
	default:
		return threeDigits(us) + " µs"
	}
}
