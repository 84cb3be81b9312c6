package netlab

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
)

// Metric reads one of Weir's metrics by its name with its labels, as Prometheus writes them; 0 if
// there is none.
func (w *Weir) Metric(name string) float64 {
	w.lab.t.Helper()
	answer, err := http.Get(API + "/metrics")
	if err != nil {
		w.lab.t.Fatal(err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			x, err := strconv.ParseFloat(value, 64)
			if err != nil {
				w.lab.t.Fatalf("metric %s: %v", lines.Text(), err)
			}
			return x
		}
	}
	return 0
}
