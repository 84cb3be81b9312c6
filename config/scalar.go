package config

import (
	"fmt"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/weirnet/weir/strictyaml"
)

// maxText is the longest string of a configuration, in bytes.
const maxText = 1024

// FormatDuration returns a duration as it is written, without the units that are zero: 1h, 2m30s,
// 500ms.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func plainText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	}
	return v.String()
}

// setScalar reads a scalar into v. The error says what was given and what was expected.
func setScalar(v reflect.Value, s string, f field) error {
	if t, ok := textTypes[v.Type()]; ok {
		value, err := t.parse(s)
		if err == nil {
			v.Set(reflect.ValueOf(value))
		}
		return err
	}
	if v.Type() == durationType {
		return setDuration(v, s, f)
	}
	switch v.Kind() {
	case reflect.Bool:
		return setBool(v, s)
	case reflect.Uint64:
		return setNumber(v, s, f)
	}
	return setText(v, s, f)
}

func setDuration(v reflect.Value, s string, f field) error {
	d, err := time.ParseDuration(s)
	least, _ := time.ParseDuration(f.min)
	most, _ := time.ParseDuration(f.max)
	if err != nil || d < least || d > most {
		return fmt.Errorf("%s given, want a duration with a unit, from %s to %s", strictyaml.Quote(s), f.min, f.max)
	}
	v.SetInt(int64(d))
	return nil
}

func setBool(v reflect.Value, s string) error {
	switch s {
	case "true", "false":
		v.SetBool(s == "true")
		return nil
	}
	return fmt.Errorf("%s given, want true or false", strictyaml.Quote(s))
}

func setNumber(v reflect.Value, s string, f field) error {
	n, err := strconv.ParseUint(s, 10, 64)
	least, _ := strconv.ParseUint(f.min, 10, 64)
	most, _ := strconv.ParseUint(f.max, 10, 64)
	if err != nil || n < least || n > most {
		return fmt.Errorf("%s given, want a number from %s to %s", strictyaml.Quote(s), f.min, f.max)
	}
	v.SetUint(n)
	return nil
}

func setText(v reflect.Value, s string, f field) error {
	switch {
	case f.enum != nil && !slices.Contains(f.enum, s):
		return fmt.Errorf("%s given, want %s", strictyaml.Quote(s), strings.Join(f.enum, " or "))
	case s == "":
		return fmt.Errorf("an empty text given: give one, or leave the field out")
	case len(s) > maxText:
		return fmt.Errorf("a text of %d bytes given, want at most %d", len(s), maxText)
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%s given, want a text without control characters", strictyaml.Quote(s))
	case f.kind == "address" && !IsAddress(s):
		return fmt.Errorf("%s given, want HOST:PORT, such as %s", strictyaml.Quote(s), f.def)
	case f.kind == "address or none" && s != PeerNone && !IsAddress(s):
		return fmt.Errorf("%s given, want HOST:PORT, such as %s, or %s", strictyaml.Quote(s), f.def, PeerNone)
	}
	v.SetString(s)
	return nil
}

// IsAddress reports whether a text is HOST:PORT with a numeric port.
func IsAddress(s string) bool {
	_, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return err == nil
}
