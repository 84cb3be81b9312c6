package target

import (
	"context"
	"fmt"
	"io"
	"net/http"
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
	MetricCompared = `weir_flowsync_switches{state="compared"}`
	MetricMallocs  = `go_memstats_mallocs_total`
	MetricFloods   = `weir_guard_total{kind="floods"}` // ports that were held back
)

// syncMetrics are the metrics that count synchronisations: of the store for a transaction of a
// journal, and of the audit log.
var syncMetrics = []string{`weir_journal_commits_total{journal="intents"}`,
	`weir_journal_commits_total{journal="decisions"}`, `weir_audit_total{kind="syncs"}`}

// Syncs is how often the store and the audit log were synchronised.
func (m metrics) Syncs() (n float64) {
	for _, name := range syncMetrics {
		n += m[name]
	}
	return n
}

// Allocations is the measure of what an instance allocates, in objects, for each unit of work.
const Allocations = "allocations of the instance, each"

// metricsTimeout is how long an instance may take to tell its metrics, and metersMost how many
// bytes they may have.
const (
	metricsTimeout  = 30 * time.Second
	maxMetricsBytes = 64 << 20
)

// ReadMetrics asks the instance for its metrics.
func (p *Process) ReadMetrics(ctx context.Context, token string) (metrics, error) {
	ctx, cancel := context.WithTimeout(ctx, metricsTimeout)
	defer cancel()
	address := p.API
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
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		space := strings.LastIndexByte(line, ' ') // labels before it may have spaces
		if space < 0 || line[0] == '#' {
			continue
		}
		if v, err := strconv.ParseFloat(line[space+1:], 64); err == nil {
			m[line[:space]] = v
		}
	}
	return m
}

// Mallocs is how many objects the instance has allocated; 0 if it is not ours or does not say.
func (p *Process) Mallocs(ctx context.Context) float64 {
	if !p.Owned() {
		return 0
	}
	m, _ := p.ReadMetrics(ctx, "")
	return m[MetricMallocs]
}
