package topo

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirnet/weir/strictyaml"
)

// ParseRate reads bits a second: "9600", "100k", "10M", "1.5G", with or without "bit", "bit/s" or
// "bps" after it; "0" and "none" are no limit.
func ParseRate(s string) (uint64, error) { return strictyaml.Rate(s, MinRate, MaxRate) }

// ParseLoss reads a share, "0.01", or per cent, "1%".
func ParseLoss(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	v, ok := strictyaml.Decimal(number)
	if percent {
		v /= 100
	}
	if !ok || v > 1 {
		return 0, fmt.Errorf("%s given, want a share from 0 to 1, such as 0.01 or 1%%", strictyaml.Quote(s))
	}
	return v, nil
}

// ParseDPID reads a datapath id: up to 16 hexadecimal digits, with or without "0x" or colons
// between bytes.
func ParseDPID(s string) (uint64, error) {
	digits := strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(s), "0x"), ":", "")
	id, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || id == 0 || len(digits) > 16 {
		return 0, fmt.Errorf("%s given, want up to 16 hexadecimal digits and not 0, such as 0000000000000001",
			strictyaml.Quote(s))
	}
	return id, nil
}
