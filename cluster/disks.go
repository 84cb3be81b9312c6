package cluster

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/weirnet/weir/cluster/streams"
	"github.com/weirnet/weir/store/etcd"
)

// Each instance tells the others of the disk of its store (etcd.Disk, as JSON), when that changes and each disksAgain: not by
// the store, which a disk that hangs would keep it from.
const (
	disksKind  = 16
	disksAgain = time.Second
)

// disks are those of all members, as far as they were told.
type disks struct {
	news func()

	told etcd.Disk // the loop's, as what follows: this instance's own, as the others were told
	when time.Time

	mu sync.Mutex
	of map[streams.ID]etcd.Disk
}

// take takes what another instance says of its disk.
func (d *disks) take(from streams.ID, payload []byte) {
	var disk etcd.Disk
	if json.Unmarshal(payload, &disk) != nil {
		return // of another version
	}
	d.mu.Lock()
	was, known := d.of[from]
	d.of[from] = disk
	d.mu.Unlock()
	if !known || was != disk {
		d.news()
	}
}

// tell tells the others of this instance's own disk, if it is time to. It reports whether that has changed.
func (d *disks) tell(own etcd.Disk, now time.Time, s *streams.Streams, peers []streams.Peer) (changed bool) {
	changed = own != d.told
	if !changed && now.Sub(d.when) < disksAgain {
		return false
	}
	d.told, d.when = own, now
	payload, err := json.Marshal(&own)
	if err != nil {
		return changed // strings alone
	}
	for _, p := range peers {
		_ = s.Send(p.ID, disksKind, payload) // again soon
	}
	return changed
}

// disk is the condition of another member's disk; false: the member is not heard, or has not told.
func (p *Peers) disk(member string) (etcd.Disk, bool) {
	id := number(member)
	p.disks.mu.Lock()
	d, told := p.disks.of[id]
	p.disks.mu.Unlock()
	return d, told && p.streams.Heard(id)
}

// leavesIt reports whether this instance is to leave an owner's place that is free to another one: its own disk is not well, and
// that one's is.
func (p *Peers) leavesIt() bool {
	fit, others := true, false
	for _, m := range p.cfg.Members.Members() {
		switch {
		case m.Self:
			fit = m.Disk.Fit()
		case !m.Learner && m.Disk.Fit():
			_, known := p.disk(m.ID)
			others = others || known
		}
	}
	return !fit && others
}
