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
