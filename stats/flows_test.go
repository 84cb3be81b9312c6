package stats

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// TestFlowRates: a flow entry has rates of two answers of one session, in which it went on.
func TestFlowRates(t *testing.T) {
	all := plan.Selector{}
	const cookie = 1
	at := func(second int, session, cookie, packets, bytes uint64, before *Flows) (*Flows, Flow) {
		f := newFlows(time.Unix(int64(second), 0), session)
		f.gather([]openflow.FlowStats{{Table: 1, Cookie: cookie, Packets: packets, Bytes: bytes}}, all, before)
		for _, e := range f.Entries {
			return f, e
		}
		t.Fatal("no entry")
		return nil, Flow{}
	}
	first, e := at(0, 1, cookie, 100, 1000, nil)
	if e.Rated {
		t.Errorf("the first time: %+v", e)
	}
	if _, e := at(10, 1, cookie, 150, 6000, first); !e.Rated || e.PacketsRate != 5 || e.BytesRate != 500 {
		t.Errorf("it went on: %+v", e)
	}
	if _, e := at(10, 1, cookie, NotCounted, 6000, first); !e.Rated || e.BytesRate != 500 {
		t.Errorf("packets are not counted: %+v", e)
	}
	for what, again := range map[string][3]uint64{"fewer packets": {1, cookie, 99},
		"another session": {2, cookie, 150}, "another entry": {1, 2, 150}} {
		if _, e := at(10, again[0], again[1], again[2], 6000, first); e.Rated {
			t.Errorf("%s: %+v", what, e)
		}
	}
	if _, e := at(0, 1, cookie, 150, 6000, first); e.Rated {
		t.Errorf("at the same time: %+v", e)
	}
}
