package api

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// eventMetrics are what is measured of event streams.
type eventMetrics struct {
	streams prometheus.Gauge
	resets  prometheus.Counter
	encoded prometheus.Counter
}

func newEventMetrics(r prometheus.Registerer) *eventMetrics {
	registered := promauto.With(r)
	return &eventMetrics{
		streams: registered.NewGauge(prometheus.GaugeOpts{Name: "weir_api_event_streams",
			Help: "Event streams open."}),
		encoded: registered.NewCounter(prometheus.CounterOpts{Name: "weir_api_events_encoded_total",
			Help: "Events made into bytes, once for all streams; and those of streams that go on from an earlier id, once for each."}),
		resets: registered.NewCounter(prometheus.CounterOpts{Name: "weir_api_event_resets_total",
			Help: "Snapshots sent on event streams because the position asked for is not in the log of changes."}),
	}
}
