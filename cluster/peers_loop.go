package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/cluster/streams"
	"github.com/weirnet/weir/store/etcd"
)

// One goroutine looks at the members and the owner, and sends the facts and how its disk is; package streams has its own. They
// end with Close.

// Start joins an instance to the others.
func Start(cfg Config) (*Peers, error) {
	self := cfg.Own.Self()
	p := &Peers{cfg: cfg, bell: make(chan struct{}, 1)}
	p.facts = &facts{news: p.ring, owns: cfg.Own.Owns, keep: cfg.Keep, sent: map[streams.ID]*sent{},
		parts: map[streams.ID][]byte{}}
	p.disks = &disks{news: p.ring, of: map[streams.ID]etcd.Disk{}}
	var err error
	p.streams, err = streams.Start(streams.Config{
		Cluster: cfg.Members.ID(), Self: liveness.Life{ID: number(self.Member), Incarnation: self.Life}, Name: self.Name,
		TLS: cfg.TLS, Liveness: Heartbeats(),
		Kinds: []streams.Kind{{Number: factsKind, Name: "facts", Bulk: &streams.Receiver{
			Began: p.facts.began, Take: p.facts.take, Ended: func(streams.ID, error) {},
		}}, {Number: disksKind, Name: "disks", Message: p.disks.take}},
		Changed: p.ring, Log: cfg.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("streams to other instances: %w", err)
	}
	cfg.Members.Judge(p.disk)
	cfg.Own.LeaveTo(p.leavesIt)
	cfg.Members.Serve(p)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.run(ctx) })
	p.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		p.streams.Close()
	})
	return p, nil
}

// Close ends what Start began, and waits.
func (p *Peers) Close() { p.stop() }

func (p *Peers) run(ctx context.Context) {
	var listed []streams.Peer
	look := Takeover{Own: p.cfg.Own, Hears: p.streams, ByLease: p.cfg.ByLease, Log: p.cfg.Log}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.bell:
		case <-timer.C:
		}
		members := p.cfg.Members.Members()
		if peers := others(members); !slices.Equal(peers, listed) {
			listed = peers
			p.streams.SetPeers(peers)
		}
		campaign, next := look.Look(time.Now(), members)
		if campaign {
			if err := p.cfg.Members.Campaign(ctx); err != nil {
				p.cfg.Log.Debug("asking for the lead of the store", "error", err)
			}
		}
		timer.Reset(next)
		p.facts.send(p.streams, listed)
		if own := p.cfg.Members.Disk(); p.disks.tell(own, time.Now(), p.streams, listed) && p.cfg.Disk != nil {
			p.cfg.Disk(own)
		}
	}
}
