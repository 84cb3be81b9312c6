package etcd

import (
	"context"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Goroutines for each member of this process: one checks its disk and its quota, and clears
// etcd's alarm when there is room again; one maintains the content digest; if there can be others, one follows who leads,
// and those of disk_loop.go look at the disk. They end when the store is closed.

// checkInterval is the time between two checks.
const checkInterval = 500 * time.Millisecond

// startChecks starts them.
func (s *Store) startChecks() {
	m := s.member
	stopServer := m.stop
	var checks sync.WaitGroup
	ended := make(chan struct{})
	life, cancel := context.WithCancel(context.Background())
	m.stop = func() {
		close(ended)
		cancel()
		checks.Wait()
		s.client.Close() // in-process: closing cannot fail
		stopServer()
	}
	checks.Go(func() { s.followDigest(life) })
	if m.port != nil {
		checks.Go(func() { s.followLead(life) })
		s.followDisk(life, &checks)
	}
	checks.Go(func() {
		ticker := time.NewTicker(checkInterval)
		defer ticker.Stop()
		for {
			s.checkWritable()
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
		}
	})
}

// followDigest updates the content digest and records it in the acknowledgement file.
func (s *Store) followDigest(ctx context.Context) {
	c := &s.member.census
	for ctx.Err() == nil {
		if err := s.member.mark.setDigest(c.now); err != nil {
			s.member.cfg.Log.Error("the store does not note what it holds", "file", MarkFile, "error", err)
		}
		for reply := range s.client.Watch(ctx, "\x00", clientv3.WithFromKey(), clientv3.WithRev(c.now.revision+1)) {
			if len(reply.Events) == 0 {
				continue
			}
			if err := s.member.mark.setDigest(c.apply(reply.Events)); err != nil {
				s.member.cfg.Log.Error("the store does not note what it holds", "file", MarkFile, "error", err)
			}
		}
		for c.recompute(ctx, s.client) != nil { // without a digest nothing would be compacted
			select {
			case <-ctx.Done():
				return
			case <-time.After(checkInterval):
			}
		}
	}
}

// checkWritable updates whether writes are accepted.
func (s *Store) checkWritable() {
	m := s.member
	if err := m.prealloc.extend(m.cfg.databaseFile()); err != nil {
		m.cfg.Log.Debug("the database file has no room ahead of it on the disk", "error", err)
	}
	why := m.linked.stat(&m.cfg)
	if err := m.mark.sync(); err != nil && why == "" {
		why = "its file " + MarkFile + " cannot be synchronised: " + err.Error()
	}
	if why == "" {
		why = text(&m.disk.full)
	}
	if why == "" {
		why = m.spaceShortage()
	}
	if why == "" {
		why = text(&m.disk.scarce)
	}
	if why == "" {
		why = m.overQuota()
	}
	if why == "" && !m.disk.parted.Load() && len(m.server.Alarms()) > 0 {
		why = s.noSpace()
	}
	old := s.full.Load()
	if was := old != nil; was == (why != "") && (!was || *old == why) {
		return
	}
	s.full.Store(nil)
	if why != "" {
		s.full.Store(&why)
	}
	if m.cfg.Full != nil {
		m.cfg.Full(why)
	}
}

// noSpace returns why etcd accepts no writes. If there is room again it clears the alarm.
func (s *Store) noSpace() string {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	for _, a := range s.member.server.Alarms() {
		if a.Alarm != etcdserverpb.AlarmType_NOSPACE {
			continue
		}
		now, err := s.Status(ctx)
		if err == nil && now.Size < now.Quota/10*9 {
			_, err = s.client.AlarmDisarm(ctx, &clientv3.AlarmMember{MemberID: a.MemberID, Alarm: a.Alarm})
		} else if err == nil {
			return "its quota is used up: " + usage(now)
		}
		if err != nil {
			return "its quota was used up, and it does not say whether it still is: " + err.Error()
		}
	}
	return ""
}

// followLead ends what waits for the outcome of a transaction when another member has come to lead: what was on its way to
// the one before is lost, and would be waited for until the call's deadline.
func (s *Store) followLead(ctx context.Context) {
	m := s.member
	for {
		changed := m.server.LeaderChangedNotify()
		lead, end := context.WithCancel(ctx)
		m.lead.Store(&lead)
		select {
		case <-ctx.Done():
			end()
			return
		case <-changed:
		}
		select { // what is done all the same is told by then
		case <-ctx.Done():
		case <-time.After(leadGrace):
		}
		end()
	}
}

// leadGrace is how long after a new leader was found outcomes are waited for that may still come.
const leadGrace = 10 * time.Millisecond
