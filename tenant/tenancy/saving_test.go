package tenancy

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/connect"
)

// adder is a controller that adds an entry to each switch that connects.
type adder struct{}

func (adder) Connected(s *session.Session) {
	_, _ = s.Send(&openflow.FlowMod{Priority: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny})
}
func (adder) Disconnected(*session.Session, error)                           {}
func (adder) PacketIn(*session.Session, openflow.Header, *openflow.PacketIn) {}
func (adder) Message(*session.Session, openflow.Header, openflow.Message)    {}
func (adder) BatchEnd(*session.Session)                                      {}

// kept returns tenancies with a switch, whose tables a journal in a store keeps.
func kept(t *testing.T, st store.Store) (*Tenancies, *journal.Journal) {
	view := netview.New(netview.Limits{})
	s := New(Config{View: view, Domain: 1, Own: func([]byte) bool { return false }, DropHost: func(netview.HostID) {},
		Orders: func([]ruleset.Order) {}, Sessions: session.Config{}})
	j, err := journal.Open(t.Context(), st, journal.Config{Prefix: "x/"})
	if err != nil {
		t.Fatal(err)
	}
	all := &journal.Kept{}
	if err := errors.Join(j.Load(t.Context(), all.Take), s.Load(j, all)); err != nil {
		t.Fatal(err)
	}
	view.Facts().Update(func(tx *netview.FactsTx) {
		tx.PutSwitch(&netview.Switch{DPID: 1, Version: openflow.V13, Tables: 254, Connected: true,
			Ports: []netview.Port{{Number: 1, Up: true, Role: netview.PortEdge}}})
	})
	return s, j
}

// TestLaterTenantOfTheNumber: what a tenant that is gone has in the journal is withdrawn, and nothing of a later tenant that has
// its number.
func TestLaterTenantOfTheNumber(t *testing.T) {
	st := store.NewMemory(nil)
	s, j := kept(t, st)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, served := session.NewServer(session.Config{}, adder{}), make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l)
	}()
	defer func() {
		s.stop()
		_ = s.sessions.Close(context.Background())
		s.dialers.Wait()
		_ = server.Close(context.Background())
		<-served
	}()
	// red returns the switch of a tenant that has come, when it has an entry.
	red := func(id string) *connect.Switch {
		all := tenant.New()
		if err := all.Put(tenant.Definition{Name: "red", ID: id, Number: 1, Ports: []netview.Point{{DPID: 1}},
			Controllers: []tenant.Controller{{Address: l.Addr().String()}}}); err != nil {
			t.Fatal(err)
		}
		s.Set(all)
		s.Begin()
		sw := s.tenancies["red"].virtual[1].sw
		for {
			if entries, _, _, _ := sw.Counts(); entries > 0 {
				return sw
			}
			time.Sleep(time.Millisecond)
		}
	}
	saved := func(sw *connect.Switch) {
		for !connect.Close(sw) {
			j.Turn(t.Context())
		}
	}
	first := red("1")
	connect.Save(first)
	j.Turn(t.Context())
	second := red("2")
	connect.Save(second) // the second has its records in the journal before the first has withdrawn its own
	j.Turn(t.Context())
	saved(first)
	saved(second)
	again, _ := kept(t, st)
	if x := again.saver.saved[1][1]; x == nil || x.ID != "2" || len(x.Numbers) != 2 {
		t.Errorf("the journal has %+v, want the switch of the second tenant and its entry", x)
	}
}
