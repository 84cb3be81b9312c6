package target

import (
	"strings"
	"testing"
	"time"
)

func TestMetersAreRead(t *testing.T) {
	m := parseMetrics([]byte("# HELP x y 3\n# TYPE x gauge\n" + MetricCompared + " 206\n" + MetricMallocs +
		" 1.5e+06\nnonsense\nweir_x{a=\"b c\"} NaNo\n"))
	if len(m) != 2 || m[MetricCompared] != 206 || m[MetricMallocs] != 1.5e6 {
		t.Errorf("%v", m)
	}
	const status = "Name:\tweir\nVmPeak:\t  9 kB\nVmHWM:\t   2048 kB\nVmRSS:\t 1024 kB\n"
	for name, want := range map[string]int64{"VmHWM": 2 << 20, "VmRSS": 1 << 20, "Name": 0, "VmSwap": 0} {
		if got := parseStatus(status, name); got != want {
			t.Errorf("%s: %d bytes, want %d", name, got, want)
		}
	}
}

// TestUsageIsRead from the kernel's lines, whatever a program is called.
func TestUsageIsRead(t *testing.T) {
	const stat = "7 (a ) b) S 1 7 7 0 -1 4194560 1 0 0 0 150 25 0 0 20 0 9"
	if got, err := parseStat(stat); err != nil || got != 1750*time.Millisecond {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []string{"", "7 (a) S 1", strings.Replace(stat, "150", "x", 1)} {
		if _, err := parseStat(s); err == nil {
			t.Errorf("%q is read", s)
		}
	}
	if n := OwnMemory(); n == 0 {
		t.Error("this process takes no memory")
	}
	var nobody *Process
	if nobody.CPU() != 0 || nobody.Memory() != 0 || nobody.Owned() {
		t.Error("nobody takes something")
	}
}
