package topo

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// quote shows what was given, clipped.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}

// ParseRate reads bits a second: "9600", "100k", "10M", "1.5G", with or without "bit", "bit/s" or "bps" after it; "0" and
// "none" are no limit.
func ParseRate(s string) (uint64, error) {
	wrong := fmt.Errorf("%s given, want bits a second from %d to %d with k, M, G or T, such as 100M, or none", quote(s), MinRate, uint64(MaxRate))
	number := strings.ToLower(s)
	for _, unit := range []string{"bit/s", "bps", "bit"} {
		if cut, ok := strings.CutSuffix(number, unit); ok {
			number = cut
			break
		}
	}
	if number == "none" || number == "0" {
		return 0, nil
	}
	v, ok := scaled(number)
	if !ok || v < MinRate || v > MaxRate {
		return 0, wrong
	}
	return uint64(math.Round(v)), nil
}

// scaled reads a number that may end in k, M, G or T.
func scaled(s string) (float64, bool) {
	times := 1.0
	if n := len(s); n > 0 {
		if i := strings.Index("kmgt", strings.ToLower(s[n-1:])); i >= 0 {
			s, times = s[:n-1], math.Pow(1000, float64(i+1))
		}
	}
	v, ok := decimal(s)
	return v * times, ok
}

// ParseLoss reads a share, "0.01", or per cent, "1%".
func ParseLoss(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	v, ok := decimal(number)
	if percent {
		v /= 100
	}
	if !ok || v > 1 {
		return 0, fmt.Errorf("%s given, want a share from 0 to 1, such as 0.01 or 1%%", quote(s))
	}
	return v, nil
}

// decimal reads a number without sign and exponent.
func decimal(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// parseTime reads a time with its unit, from 0 to most.
func parseTime(s string, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > most {
		return 0, fmt.Errorf("%s given, want a time with a unit from 0s to %v, such as 5ms", quote(s), most)
	}
	return d, nil
}

// parseNumber reads a whole number.
func parseNumber(s string, least, most int, example string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most || s[0] == '+' {
		return 0, fmt.Errorf("%s given, want a number from %d to %d, such as %s", quote(s), least, most, example)
	}
	return n, nil
}

// ParseDPID reads a datapath id: up to 16 hexadecimal digits, with or without "0x" or colons between bytes.
func ParseDPID(s string) (uint64, error) {
	digits := strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(s), "0x"), ":", "")
	id, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || id == 0 || len(digits) > 16 {
		return 0, fmt.Errorf("%s given, want up to 16 hexadecimal digits and not 0, such as 0000000000000001", quote(s))
	}
	return id, nil
}
