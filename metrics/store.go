package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/store"
)

var (
	descStoreBytes    = desc("store_bytes", "Bytes of the store: of its file, of what of it is in use, and its quota.", "kind")
	descStoreRevision = desc("store_revision", "Revision of the store: how many transactions have changed it.")
	descStoreReady    = desc("store_ready", "1 while the store takes changes, 0 while it is full or does not answer.")
)

// keeper shows how the store is as metrics. A store elsewhere that does not answer within
// askStore is shown as not ready.
type keeper struct{ st store.Store }

const askStore = time.Second

// Describe implements prometheus.Collector.
func (m keeper) Describe(ch chan<- *prometheus.Desc) {
	describe(ch, descStoreBytes, descStoreRevision, descStoreReady)
}

// Collect implements prometheus.Collector.
func (m keeper) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askStore)
	defer cancel()
	now, err := m.st.Status(ctx)
	ready := 0.0
	if err == nil && now.Full == "" && now.Leader {
		ready = 1
	}
	gauge(ch, descStoreReady, ready)
	if err != nil {
		return
	}
	gauge(ch, descStoreBytes, float64(now.Size), "file")
	gauge(ch, descStoreBytes, float64(now.InUse), "in_use")
	gauge(ch, descStoreBytes, float64(now.Quota), "quota")
	gauge(ch, descStoreRevision, float64(now.Revision))
}
