package campaign

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/probe/nic"
)

// TestCheck fills in what was not given, and refuses what cannot be meant.
func TestCheck(t *testing.T) {
	a, b := nic.Config{Interface: "a"}, nic.Config{Interface: "b"}
	c := Latency{From: a, To: b}
	if err := c.Check(); err != nil || c.Count != 20 || len(c.Sizes) != 4 || c.Interval == 0 || c.Note == nil {
		t.Errorf("%v, %+v", err, c)
	}
	for want, c := range map[string]Latency{
		"a given twice, want two interfaces":         {From: a, To: a},
		"size 65508 given, want bytes from 0":        {From: a, To: b, Sizes: []int{1, MaxSize + 1}},
		"size -1 given":                              {From: a, To: b, Sizes: []int{-1}},
		"no sizes given":                             {From: a, To: b, Sizes: []int{}},
		"1 echoes given, want 2 to 1000":             {From: a, To: b, Count: 1},
		"1001 echoes given":                          {From: a, To: b, Count: MaxCount + 1},
		"VLAN 4095 given, want 1 to 4094":            {From: a, To: b, VLAN: 4095},
		"given twice, want two interfaces":           {From: a, To: a},
		"echoes given, want 2 to 1000":               {From: a, To: b, Count: -3},
		"size 100000 given, want bytes from 0 to 65": {From: a, To: b, Sizes: []int{100000}},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestCheckStreams does the same for streams, and for load beside a measurement.
func TestCheckStreams(t *testing.T) {
	a, b, x := nic.Config{Interface: "a"}, nic.Config{Interface: "b"}, nic.Config{Interface: "x"}
	c := Streams{From: a, To: b, Load: Load{From: []nic.Config{x}, Rate: 1e6}}
	if err := c.Check(); err != nil || c.Runs != 5 || len(c.Sizes) != 3 || c.Time == 0 || c.Rate == 0 ||
		c.Load.Size != DefaultLoadSize {
		t.Errorf("%v, %+v", err, c)
	}
	for want, c := range map[string]Streams{
		"a given twice, want two interfaces":    {From: a, To: a},
		"size 15 given, want bytes from 16":     {From: a, To: b, Sizes: []int{15}},
		"size 65001 given":                      {From: a, To: b, Sizes: []int{65001}},
		"no sizes given":                        {From: a, To: b, Sizes: []int{}},
		"-1 runs given, want 1 to 1000":         {From: a, To: b, Runs: -1},
		"transfers of 2h0m0s given":             {From: a, To: b, Time: 7200e9},
		"a rate of 1 bit/s given, want 1000 to": {From: a, To: b, Rate: 1},
		"VLAN 4095 given, want 1 to 4094":       {From: a, To: b, VLAN: 4095},
		"rate of load given and no interface":   {From: a, To: b, Load: Load{Rate: 1e6}},
		"load of 0 bit/s given":                 {From: a, To: b, Load: Load{From: []nic.Config{x}}},
		"b given twice, want interfaces of":     {From: a, To: b, Load: Load{From: []nic.Config{b}, Rate: 1e6}},
		"x given twice, want interfaces of":     {From: a, To: b, Load: Load{From: []nic.Config{x, x}, Rate: 1e6}},
		"load of 3 bytes given":                 {From: a, To: b, Load: Load{From: []nic.Config{x}, Rate: 1e6, Size: 3}},
		"17 interfaces given, want 16 at most":  {From: a, To: b, Load: Load{From: make([]nic.Config, 17), Rate: 1e6}},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
