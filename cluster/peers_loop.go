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

// One goroutine looks at the members and the owner, and sends the facts; package streams has its own. They end with Close.

// Start joins an instance to the others.
func Start(cfg Config) (*Peers, error) {
	self := cfg.Own.Self()
	p := &Peers{cfg: cfg, bell: make(chan struct{}, 1)}
	p.facts = &facts{news: p.ring, owns: cfg.Own.Owns, keep: cfg.Keep, sent: map[streams.ID]*sent{},
		parts: map[streams.ID][]byte{}}
	var err error
	p.streams, err = streams.Start(streams.Config{
		Cluster: cfg.Members.ID(), Self: liveness.Life{ID: number(self.Member), Incarnation: self.Life}, Name: self.Name,
		TLS: cfg.TLS, Liveness: liveness.Config{Missed: missed},
		Kinds: []streams.Kind{{Number: factsKind, Name: "facts", Bulk: &streams.Receiver{
			Began: p.facts.began, Take: p.facts.take, Ended: func(streams.ID, error) {},
		}}},
		Changed: p.ring, Log: cfg.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("streams to other instances: %w", err)
	}
	cfg.Members.Serve(p.streams.Handler())
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
	var w watch
	var lead leadWatch
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
		timer.Reset(min(p.lookAtOwner(&w, line(members)), p.lookAtLeader(ctx, &lead, members)))
		p.facts.send(p.streams, listed)
	}
}

// lookAtOwner has the Claim take an owner's place if it is time to. It returns when to look again.
func (p *Peers) lookAtOwner(w *watch, line []streams.ID) time.Duration {
	by := p.cfg.Own.Owner()
	if by.Member == "" || by.Life == 0 || p.cfg.Own.Owns() || p.cfg.ByLease {
		p.cfg.Own.Dead("")
		return lookEvery
	}
	life := liveness.Life{ID: number(by.Member), Incarnation: by.Life}
	self := p.cfg.Own.Self()
	take, next := w.look(time.Now(), life, p.streams.Unheard(life), place(line, number(self.Member), p.streams.Heard))
	if !take {
		p.cfg.Own.Dead("")
		return p.soon(life, next)
	}
	if p.cfg.Own.Dead(by.Incarnation) {
		p.cfg.Log.Warn("nobody hears the owner: this instance takes its place", "owner", by.Name)
	}
	return p.soon(life, next)
}

// soon is when to look again at an instance: at once, nearly, if this instance does not hear it, and waits for what others
// say, of which there is no news.
func (p *Peers) soon(life liveness.Life, next time.Duration) time.Duration {
	if life.ID != 0 && p.streams.Suspected(life.ID) && !p.streams.Unheard(life) {
		return min(next, lookSoon)
	}
	return next
}

// lookAtLeader has this member ask for the lead of the store if its leader is dead, and it is time to. It returns when to look
// again.
func (p *Peers) lookAtLeader(ctx context.Context, w *leadWatch, members []etcd.Member) time.Duration {
	var life liveness.Life
	for _, m := range members {
		if m.Leader && !m.Self {
			life.ID = number(m.ID)
		}
	}
	for _, m := range p.streams.Members() {
		if m.Member.ID == life.ID {
			life.Incarnation = m.Incarnation
		}
	}
	if life.Incarnation == 0 { // this one leads, or nobody does, or the leader was never heard
		life = liveness.Life{}
	}
	self := p.cfg.Own.Self()
	inLine := place(leaders(members, number(p.cfg.Own.Owner().Member)), number(self.Member), p.streams.Heard)
	take, next := w.look(time.Now(), life, life.ID != 0 && p.streams.Unheard(life), inLine)
	if take {
		if life != w.said {
			w.said = life
			p.cfg.Log.Warn("nobody hears the leader of the store: this instance asks for the lead")
		}
		if err := p.cfg.Members.Campaign(ctx); err != nil {
			p.cfg.Log.Debug("asking for the lead of the store", "error", err)
		}
	}
	return p.soon(life, next)
}
