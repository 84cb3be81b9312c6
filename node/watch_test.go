package node_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
)

// watch follows the events of some kinds and returns a look at the rows so far: their states by
// kind and key.
func (i *instance) watch(kinds ...string) func() map[string]map[string]string {
	var mu sync.Mutex
	rows := map[string]map[string]string{}
	begun := make(chan struct{})
	ctx, stop := context.WithCancel(context.Background())
	i.t.Cleanup(stop)
	go i.api.Watch(ctx, client.Watch{After: "0", Kinds: kinds}, func(e client.Event) error {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case e.Kind == client.EventReset:
			clear(rows)
			return nil
		case e.Kind == client.EventSynced:
			close(begun)
			return nil
		}
		var row struct {
			DPID, ID, State string
			Src, Dst        client.Point
		}
		if err := json.Unmarshal(e.Data, &row); err != nil {
			return err
		}
		key := row.DPID + row.ID
		if e.Kind == "link" {
			key = fmt.Sprint(row.Src, row.Dst)
		}
		if rows[e.Kind] == nil {
			rows[e.Kind] = map[string]string{}
		}
		if rows[e.Kind][key] = row.State; e.Delete {
			delete(rows[e.Kind], key)
		}
		i.bell.ring()
		return nil
	})
	select {
	case <-begun:
	case <-time.After(patience):
		i.t.Fatal("the event stream does not begin")
	}
	return func() map[string]map[string]string {
		mu.Lock()
		defer mu.Unlock()
		out := map[string]map[string]string{}
		for k, v := range rows {
			out[k] = maps.Clone(v)
		}
		return out
	}
}

// metrics reads all of /metrics.
func (i *instance) metrics() map[string]*dto.MetricFamily {
	i.t.Helper()
	req, _ := http.NewRequestWithContext(i.t.Context(), http.MethodGet, "http://"+i.at.API+"/metrics", nil)
	req.Header.Set("Authorization", "Bearer "+i.token(rest.ViewerTokenFile))
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		i.t.Fatal(err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		i.t.Fatalf("metrics: status %d: %v", resp.StatusCode, err)
	}
	return families
}

// metric is the value of the one metric with these labels ("name", "value", …); the test fails if
// there is none.
func (i *instance) metric(name string, labels ...string) float64 {
	i.t.Helper()
	return i.value(i.metrics(), name, labels...)
}

func (i *instance) value(all map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	i.t.Helper()
	for _, m := range all[name].GetMetric() {
		has := map[string]string{}
		for _, l := range m.GetLabel() {
			has[l.GetName()] = l.GetValue()
		}
		fits := true
		for k := 0; k < len(labels); k += 2 {
			fits = fits && has[labels[k]] == labels[k+1]
		}
		if fits {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	i.t.Fatalf("no metric %s%v", name, labels)
	return 0
}
