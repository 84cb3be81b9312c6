package node

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/table"
	"github.com/weirnet/weir/tenant/tenancy"
)

// joinTenants makes what runs tenants; outcomes of rules that are neither intents' nor tenants' go to others, which may be
// nil.
func joinTenants(n *node, sessions session.Config, now func() time.Time, others func([]ruleset.Outcome)) {
	n.tenants = tenancy.New(tenancy.Config{
		View: n.view, Domain: uint16(n.cfg.Domain), TLS: n.cfg.controllerTLS, Log: n.cfg.Log, Now: now, Sessions: sessions,
		Orders:   func(list []ruleset.Order) { n.flowsync.Order(list) },
		Counters: func(dpid netview.DPID) *stats.Switch { return n.apps.Stats.Board().Switch(dpid) },
		Count:    func(dpid netview.DPID, k stats.Kind) { n.apps.Stats.Want(dpid, k) },
		Held: func(dpid netview.DPID, f func([]object.Held)) bool {
			return flowsync.Owned(n.flowsync, dpid, f)
		},
		DropHost: func(id netview.HostID) { n.discovery.DropHost(id) },
		Own:      func(frame []byte) bool { return n.discovery.Own(frame) },
	})
	n.intents.others = func(list []ruleset.Outcome) {
		tenants, rest := cut(list, plan.KindTenant)
		n.tenants.Outcomes(tenants)
		if others != nil && len(rest) > 0 {
			others(rest)
		}
	}
}

// openTables has the tenants' tables of an earlier run be read, and those of this one be kept.
func openTables(ctx context.Context, n *node) (err error) {
	kept := &journal.Kept{}
	if f := n.followed; f != nil {
		kept = f.kept
		n.tables, err = promote(ctx, f.tables, datadir.TenantTables)
	} else {
		n.tables, err = openJournal(ctx, n, datadir.TenantTables, nil, kept.Take)
	}
	if err != nil {
		return err
	}
	return n.tenants.Load(n.tables, kept)
}

// tenantParts are what runs tenants, and the journal of their tables, which ends after it: so what has changed last is kept.
func tenantParts(n *node) []*loop.Part {
	if n.tables == nil {
		return []*loop.Part{&n.tenants.Part}
	}
	return []*loop.Part{journalUntil(n.tables, "journal of tenants", &n.tenants.Part), n.tenants.Saver(), &n.tenants.Part}
}

// tenantOf returns the name of the tenant that a rule is of, by its cookie; "" if it is no tenant's of this domain, or of one
// that is gone.
func tenantOf(tenants *tenant.Tenants, domain uint16, cookie uint64) string {
	c := plan.Decode(cookie)
	if c.Kind != plan.KindTenant || plan.Foreign(cookie, domain) {
		return ""
	}
	number, _ := plan.TenantRow(c.Owner)
	return tenants.Name(number)
}

// definitions returns the table of tenants, which has nothing yet.
func (c *Config) definitions(st store.Store, alarms *alarm.Board) *table.Table {
	return table.New(table.Config{Store: st, Answer: c.storeAnswer(), Unreadable: func(name, why string) {
		if why == "" {
			alarms.Clear(netview.AlarmTenant, name)
		} else {
			alarms.Raise(netview.AlarmTenant, name, why)
		}
	}})
}

// controllerTLS is with what tenants' controllers are spoken to that want TLS: the certificate and the authority that
// switches know, as the files have them now.
func (c *Config) controllerTLS() (*tls.Config, error) {
	of := &c.OpenFlow
	if of.TLSCert == "" {
		return nil, errors.New("no certificate to connect with: give --openflow-tls-cert, --openflow-tls-key and --openflow-tls-ca")
	}
	pair, err := tls.LoadX509KeyPair(of.TLSCert, of.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("certificate for tenants' controllers (--openflow-tls-cert %s, --openflow-tls-key %s): %w",
			of.TLSCert, of.TLSKey, err)
	}
	file, err := os.ReadFile(of.TLSCA)
	if err != nil {
		return nil, fmt.Errorf("authority of tenants' controllers (--openflow-tls-ca): %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(file) {
		return nil, fmt.Errorf("authority of tenants' controllers (--openflow-tls-ca %s): no certificate in it", of.TLSCA)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: authorities, MinVersion: tls.VersionTLS12}, nil
}

// tenantStates are the tenants' states, as the API has them.
type tenantStates struct{ *tenancy.Tenancies }

// State implements api.TenantStates.
func (s tenantStates) State(name string) (client.TenantState, bool) {
	list, ok := s.Tenancies.State(name)
	used := s.Used(name)
	state := client.TenantState{Switches: []client.TenantSwitch{}, UsedMS: used.Used.Milliseconds(), TurnsWaited: used.Waits,
		WaitedMS: used.Waited.Milliseconds()}
	for i := range list {
		v := &list[i]
		sw := client.TenantSwitch{DPID: v.DPID.String(), Connected: v.Connected, Controllers: []client.TenantConnection{},
			Entries: v.Entries, Groups: v.Groups, Meters: v.Meters, Ports: append([]uint32{}, v.Ports...),
			LostIns: v.Losses.PacketIns, LostWaiting: v.Losses.Waiting, Paced: v.Losses.Paced, Waiting: v.Waiting,
			Reactive: v.Micro.Reactive, MicroFlows: v.Micro.Flows, Handled: v.Micro.Handled}
		if sw.BandwidthProblem = v.Bandwidth; v.Bandwidth != "" {
			state.NotEnforced = []string{"mbps"}
		}
		if !v.Counted.IsZero() {
			asOf := v.Counted.UTC()
			sw.CountersAsOf, sw.CountersAgeMS = &asOf, max(time.Since(asOf).Milliseconds(), 0)
		}
		if why := v.Restarted.Why; why != nil {
			sw.Restarted = &client.TenantRestart{At: v.Restarted.At.UTC(), Reason: why.Error()}
		}
		for _, l := range v.Links {
			sw.Controllers = append(sw.Controllers, connection(&l, time.Now()))
		}
		state.Switches = append(state.Switches, sw)
	}
	return state, ok
}

func connection(l *tenancy.Link, now time.Time) client.TenantConnection {
	since := l.Since.UTC()
	c := client.TenantConnection{Address: l.Controller.String(), State: "connecting", Since: &since}
	switch {
	case l.Connected:
		c.State, c.Role = "connected", l.Role.String()
	case l.Again.After(now):
		c.State, c.RetryInMS = "backoff", l.Again.Sub(now).Milliseconds()
	}
	if l.Trouble != nil && !l.Connected {
		c.Error = l.Trouble.Error()
	}
	return c
}
