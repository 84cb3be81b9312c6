package etcd

import (
	"context"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Two goroutines for each member of this process: one looks at its disk and its quota, says when nothing is taken, and lifts etcd's alarm
// when there is room again; one counts what the member holds. They end when the store is closed.

// lookEvery is how often.
const lookEvery = 500 * time.Millisecond

// watch begins to look.
func (s *Store) watch() {
	m := s.member
	stopServer := m.stop
	var both sync.WaitGroup
	ended := make(chan struct{})
	life, cancel := context.WithCancel(context.Background())
	m.stop = func() {
		close(ended)
		cancel()
		both.Wait()
		s.client.Close() // it has no connection whose closing could fail
		stopServer()
	}
	both.Go(func() { s.count(life) })
	both.Go(func() {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		for {
			s.look()
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
		}
	})
}

// count follows what the member holds, and notes it in its mark.
func (s *Store) count(ctx context.Context) {
	c := &s.member.census
	for ctx.Err() == nil {
		if err := s.member.mark.count(c.now); err != nil {
			s.member.cfg.Log.Error("the store does not note what it holds", "file", MarkFile, "error", err)
		}
		for reply := range s.client.Watch(ctx, "\x00", clientv3.WithFromKey(), clientv3.WithRev(c.now.revision+1)) {
			if len(reply.Events) == 0 {
				continue
			}
			if err := s.member.mark.count(c.follow(reply.Events)); err != nil {
				s.member.cfg.Log.Error("the store does not note what it holds", "file", MarkFile, "error", err)
			}
		}
		if c.again(ctx, s.client) != nil {
			return // the member has ended
		}
	}
}

// look says whether something is taken now.
func (s *Store) look() {
	m := s.member
	why := m.linked.look(&m.cfg)
	if err := m.mark.sync(); err != nil && why == "" {
		why = "its file " + MarkFile + " cannot be synchronised: " + err.Error()
	}
	if why == "" {
		why = m.shortOfRoom()
	}
	if why == "" {
		why = m.overQuota()
	}
	if why == "" && len(m.server.Alarms()) > 0 {
		why = s.alarmed()
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

// alarmed says why etcd takes nothing. Where there is room again it lifts the alarm.
func (s *Store) alarmed() string {
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
