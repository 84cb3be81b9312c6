package node

import (
	"github.com/weirnet/weir/api/relay"
	"github.com/weirnet/weir/cluster"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/owner"
	"github.com/weirnet/weir/warmstart"
)

// peers are the other instances of a cluster, and the requests that instances send each other.
type peers struct {
	*cluster.Peers
	cfg      cluster.Config
	received *relay.Receiver // those that came to others
}

// joinOthers joins this instance to the others of its cluster.
func joinOthers(c *Config, members *etcd.Cluster, own *owner.Claim, said *storeState) (*peers, error) {
	cfg := cluster.Config{Members: members, Own: own, Log: c.Log, ByLease: c.OpenFlow.Role == config.OpenFlowEqual,
		Keep: func(file []byte) error { return warmstart.Save(c.DataDir, file) },
		Disk: func(d etcd.Disk) { said.slow(d.Slow) }, RequestsPath: relay.Path}
	if files := c.peerFiles(); files.Cert != "" {
		cfg.TLS = &files
	}
	received := relay.NewReceiver(func() (list []relay.Member) {
		for _, m := range members.Members() {
			list = append(list, relay.Member{Name: m.Name, Address: m.Address, Self: m.Self})
		}
		return list
	}, cfg.TLS != nil)
	cfg.Requests = received
	joined, err := cluster.Start(cfg)
	if err != nil {
		return nil, err
	}
	return &peers{joined, cfg, received}, nil
}

// forwarder forwards requests that come to this instance to the one that decides.
func (p *peers) forwarder() *relay.Forwarder {
	return relay.New(relay.Config{Name: p.cfg.Own.Self().Name, Target: p.decides, TLS: p.cfg.TLS, Log: p.cfg.Log})
}

// decides is the instance that decides, as far as this one knows.
func (p *peers) decides() (t relay.Target) {
	by := p.cfg.Own.Owner()
	if by.Member == "" || p.cfg.Own.Owns() {
		return t
	}
	for _, m := range p.cfg.Members.Members() {
		if m.ID == by.Member {
			return relay.Target{Life: by.Incarnation, Name: by.Name, Address: m.Address, Silent: p.Silent(by.Member)}
		}
	}
	return t
}
