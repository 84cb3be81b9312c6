package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// metrics are the metrics of an instance at one moment, by their names with their labels, as they
// stand in /metrics.
type metrics map[string]float64

// Metrics that are looked at.
const (
	// switches that hold what is wanted of them, as far as the instance knows
	metricCompared = `weir_flowsync_switches{state="compared"}`
	metricMallocs  = `go_memstats_mallocs_total`
	metricFloods   = `weir_guard_total{kind="floods"}` // ports that were held back
)

// syncMetrics are the metrics that count synchronisations: of the store for a transaction of a
// journal, and of the audit log.
var syncMetrics = []string{`weir_journal_commits_total{journal="intents"}`,
	`weir_journal_commits_total{journal="decisions"}`, `weir_audit_total{kind="syncs"}`}

// syncs is how often the store and the audit log were synchronised.
func (m metrics) syncs() (n float64) {
	for _, name := range syncMetrics {
		n += m[name]
	}
	return n
}

// allocations is the measure of what an instance allocates, in objects, for each unit of work.
const allocations = "allocations of the instance, each"

// metricsTimeout is how long an instance may take to tell its metrics, and metersMost how many
// bytes they may have.
const (
	metricsTimeout  = 30 * time.Second
	maxMetricsBytes = 64 << 20
)

// readMetrics asks the instance for its metrics.
func (p *process) readMetrics(ctx context.Context, token string) (metrics, error) {
	ctx, cancel := context.WithTimeout(ctx, metricsTimeout)
	defer cancel()
	address := p.api
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxMetricsBytes))
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the API answers %s to a request for metrics", answer.Status)
	}
	return parseMetrics(b), nil
}

// parseMetrics reads the text form of Prometheus. What is no line of a value is left out.
func parseMetrics(b []byte) metrics {
	m := metrics{}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		name, value, ok := cutLast(lines.Text())
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			m[name] = v
		}
	}
	return m
}

// cutLast cuts a line at its last space.
func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// mallocs is how many objects the instance has allocated; 0 if it is not ours or does not say.
func (p *process) mallocs(ctx context.Context) float64 {
	if !p.owned() {
		return 0
	}
	m, err := p.readMetrics(ctx, "")
	if err != nil {
		return 0
	}
	return m[metricMallocs]
}

// peak is the most that the process's resident set has been, in bytes (VmHWM); 0 if it is not ours
// or cannot be read.
func (p *process) peak() int64 {
	if !p.owned() {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	return parsePeak(string(b))
}

// parsePeak reads VmHWM, in kB, from /proc/PID/status.
func parsePeak(s string) int64 {
	_, rest, ok := strings.Cut(s, "\nVmHWM:")
	if !ok {
		return 0
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10
}
