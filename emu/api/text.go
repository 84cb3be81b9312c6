package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/emu/topo"
)

// Span is a time with its unit: "5ms", "0s".
type Span time.Duration

// MarshalText writes the time with its unit.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalText reads a time with its unit, which is not negative.
func (s *Span) UnmarshalText(b []byte) error {
	d, err := time.ParseDuration(string(b))
	if err != nil || d < 0 {
		return fmt.Errorf("%q given, want a time with a unit, such as 5ms", b)
	}
	*s = Span(d)
	return nil
}

// duration returns the time, nil for nil.
func (s *Span) duration() *time.Duration {
	if s == nil {
		return nil
	}
	d := time.Duration(*s)
	return &d
}

// Rate is bits a second: "100M", "9600"; "none" is no limit.
type Rate uint64

// MarshalText writes the shortest form.
func (r Rate) MarshalText() ([]byte, error) {
	if r == 0 {
		return []byte("none"), nil
	}
	v, unit := uint64(r), ""
	for _, next := range []string{"k", "M", "G", "T"} {
		if v%1000 != 0 {
			break
		}
		v, unit = v/1000, next
	}
	return []byte(strconv.FormatUint(v, 10) + unit), nil
}

// UnmarshalText reads what topo.ParseRate does.
func (r *Rate) UnmarshalText(b []byte) error {
	v, err := topo.ParseRate(string(b))
	*r = Rate(v)
	return err
}

// Loss is a share of frames: a number from 0 to 1, or text as topo.ParseLoss reads it, such as
// "20%".
type Loss float64

// UnmarshalJSON reads a number or text.
func (l *Loss) UnmarshalJSON(b []byte) error {
	text := string(b)
	if len(b) > 0 && b[0] == '"' {
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && v >= 0 && v <= 1 { // JSON has exponents
		*l = Loss(v)
		return nil
	}
	v, err := topo.ParseLoss(text)
	*l = Loss(v)
	return err
}

// Schema implements huma.SchemaProvider.
func (Loss) Schema(huma.Registry) *huma.Schema {
	zero, one := 0.0, 1.0
	return &huma.Schema{Description: "share of frames: a number from 0 to 1, or per cent as text", Examples: []any{"20%"},
		OneOf: []*huma.Schema{{Type: huma.TypeNumber, Minimum: &zero, Maximum: &one},
			{Type: huma.TypeString, Pattern: `^[0-9.]+%?$`}}}
}

// Summary is a distribution in microseconds; all are 0 where nothing was measured.
type Summary struct {
	Count uint64  `json:"count"`
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

func micros(d time.Duration) float64 { return float64(d) / 1000 }
