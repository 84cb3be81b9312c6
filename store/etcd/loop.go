package etcd

import (
	"context"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// One goroutine for each member of this process looks at its disk and its quota, says when nothing is taken, and lifts etcd's alarm
// when there is room again. It ends when the store is closed.

// lookEvery is how often.
const lookEvery = 500 * time.Millisecond

// watch begins to look.
func (s *Store) watch() {
	m := s.member
	stopServer := m.stop
	ended, done := make(chan struct{}), make(chan struct{})
	m.stop = func() {
		close(ended)
		<-done
		stopServer()
	}
	go func() {
		defer close(done)
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
	}()
}

// look says whether something is taken now.
func (s *Store) look() {
	m := s.member
	why := m.shortOfRoom()
	if why == "" && len(m.server.Alarms()) > 0 {
		why = s.overQuota()
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

// overQuota says why etcd takes nothing. Where there is room again it lifts the alarm.
func (s *Store) overQuota() string {
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
