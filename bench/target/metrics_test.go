package target

import "testing"

func TestMetersAreRead(t *testing.T) {
	m := parseMetrics([]byte("# HELP x y 3\n# TYPE x gauge\n" + MetricCompared + " 206\n" + MetricMallocs +
		" 1.5e+06\nnonsense\nweir_x{a=\"b c\"} NaNo\n"))
	if len(m) != 2 || m[MetricCompared] != 206 || m[MetricMallocs] != 1.5e6 {
		t.Errorf("%v", m)
	}
	if got := parsePeak("Name:\tweir\nVmPeak:\t  9 kB\nVmHWM:\t   2048 kB\nVmRSS:\t 1024 kB\n"); got != 2<<20 {
		t.Errorf("peak %d", got)
	}
	if got := parsePeak("Name:\tweir\n"); got != 0 {
		t.Errorf("peak %d where there is none", got)
	}
}
