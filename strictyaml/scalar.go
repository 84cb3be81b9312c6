package strictyaml

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Quote shows what was given, clipped.
func Quote(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}

// Rate reads bits a second, from least to most: "9600", "100k", "10M", "1.5G", with or without
// "bit", "bit/s" or "bps" after it; "0" and "none" are no limit.
func Rate(s string, least, most uint64) (uint64, error) {
	wrong := fmt.Errorf("%s given, want bits a second from %d to %d with k, M, G or T, such as 100M, or none",
		Quote(s), least, most)
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
	v, ok := Scaled(number)
	if !ok || v < float64(least) || v > float64(most) {
		return 0, wrong
	}
	return uint64(math.Round(v)), nil
}

// Scaled reads a number that may end in k, M, G or T.
func Scaled(s string) (float64, bool) {
	times := 1.0
	if n := len(s); n > 0 {
		if i := strings.Index("kmgt", strings.ToLower(s[n-1:])); i >= 0 {
			s, times = s[:n-1], math.Pow(1000, float64(i+1))
		}
	}
	v, ok := Decimal(s)
	return v * times, ok
}

// Decimal reads a number without sign and exponent.
func Decimal(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// Time returns the parser of a time with its unit, from 0 to most.
func Time(most time.Duration) func(s string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 || d > most {
			return 0, fmt.Errorf("%s given, want a time with a unit from 0s to %v, such as 5ms", Quote(s), most)
		}
		return d, nil
	}
}

// Number returns the parser of a whole number from least to most, which fit an int.
func Number[T int | uint16 | uint64](least, most T, example string) func(s string) (T, error) {
	return func(s string) (T, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < int(least) || n > int(most) || s[0] == '+' {
			return 0, fmt.Errorf("%s given, want a number from %d to %d, such as %s", Quote(s), least, most, example)
		}
		return T(n), nil
	}
}
