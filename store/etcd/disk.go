package etcd

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
)

// Disk is what a member of several says of the disk of its store. The zero value is a disk that is well.
type Disk struct {
	Full   string `json:"full,omitempty"`   // why no more is to be written to it
	Slow   string `json:"slow,omitempty"`   // how long synchronisations take
	Parted bool   `json:"parted,omitempty"` // it takes nothing from the others, for want of room, and has no part in their votes
}

// Fit reports whether the member may lead the store, and its instance decide for the network, where others may too.
func (d *Disk) Fit() bool { return d.Full == "" && d.Slow == "" }

// State is the condition in two words, for lists; empty: it is well.
func (d *Disk) State() string {
	switch {
	case d.Full != "":
		return "disk full"
	case d.Slow != "":
		return "disk slow"
	}
	return ""
}

// String is what is wrong, for messages; empty: nothing is.
func (d *Disk) String() string {
	if d.Full != "" {
		return d.Full
	}
	return d.Slow
}

// diskWatch is what a member knows of disks, its own and others'.
type diskWatch struct {
	m      *member
	full   atomic.Pointer[string]                    // nil: there is room
	parted atomic.Bool                               // see Disk
	scarce atomic.Pointer[string]                    // why what the others would have to keep is refused; nil: it is not
	judge  atomic.Pointer[func(string) (Disk, bool)] // Cluster.Judge
	sync   slowness

	// those of the goroutine that looks for room, and, after its end, of who closes the member
	cut []types.ID // members from which this one is parted
	few time.Time  // since when the others are too few without it; zero: they are not
}

// text is what is pointed to; empty for nil.
func text(p *atomic.Pointer[string]) string {
	if s := p.Load(); s != nil {
		return *s
	}
	return ""
}

// setText is its inverse.
func setText(p *atomic.Pointer[string], s string) {
	if s == "" {
		p.Store(nil)
	} else if was := p.Load(); was == nil || *was != s {
		p.Store(&s)
	}
}

// Disk is the condition of this member's own disk. It never waits for the disk.
func (c *Cluster) Disk() Disk { return c.m.disk.own() }

func (w *diskWatch) own() Disk {
	return Disk{Full: text(&w.full), Slow: w.sync.why(), Parted: w.parted.Load()}
}

// Judge has the disks of other members be known by a function: false is one that is not heard, or has not said how its disk is.
// Without it, and of members that are not heard, nothing is concluded.
func (c *Cluster) Judge(disk func(id string) (Disk, bool)) { c.m.disk.judge.Store(&disk) }

// of is the condition of a member's disk, as far as it is known.
func (w *diskWatch) of(e *Member) (d Disk, known bool) {
	if e.Self {
		return w.own(), true
	}
	if judge := w.judge.Load(); judge != nil {
		return (*judge)(e.ID)
	}
	return d, false
}

// unfit reports whether a member is known to be unfit to lead.
func (w *diskWatch) unfit(e *Member) bool {
	d, known := w.of(e)
	return known && !d.Fit()
}

// How much room is wanted, in parts of the reserve. A member with less than the reserve says that its disk is full; one with
// less than half of that may not have the next file of the log (64 MiB), without which etcd ends the process, and parts
// from the others before. It is with them again when there is the reserve, and room for the whole database beside its own,
// which it may be sent. Where the others are too few without it, a quarter is enough.
const (
	partBelow = 2
	mendAbove = 4
	// roomSlack is how much more than the reserve there has to be until a disk is not called full any more.
	roomSlack = 8
	// mendAfter is for how long the others are too few before it is with them again.
	mendAfter = 2 * time.Second
)

// lookAtRoom finds out whether there is room on this member's disk and on those of others, and parts from them, or is with
// them again.
func (w *diskWatch) lookAtRoom(list []Member) {
	m := w.m
	if len(list) < 2 {
		setText(&w.full, "")
		setText(&w.scarce, "")
		return
	}
	have, want := m.free(), m.cfg.Reserve
	if text(&w.full) != "" {
		want += want / roomSlack
	}
	enough, now := w.enoughWithout(list), time.Now()
	if enough {
		w.few = time.Time{}
	} else if w.few.IsZero() {
		w.few = now
	}
	needed := !enough && now.Sub(w.few) >= mendAfter && have >= m.cfg.Reserve/mendAbove
	switch parted := w.parted.Load(); {
	case parted && (m.room(m.server.Backend().Size()) == "" || needed):
		w.mend()
	case !parted && have < m.cfg.Reserve/partBelow && enough:
		w.part(list)
	}
	why := ""
	switch {
	case w.parted.Load():
		why = m.room(m.server.Backend().Size()) + ": until there are, this member takes nothing, and the others go on without it"
	case have < want:
		why = shortage(m.cfg.Dir, have, want)
	}
	setText(&w.full, why)
	setText(&w.scarce, w.scarcity(list))
}

// enoughWithout reports whether more than half of the members with a vote are heard, and have disks that are well, without
// this one.
func (w *diskWatch) enoughWithout(list []Member) bool {
	well := 0
	for i := range list {
		e := &list[i]
		if d, known := w.of(e); !e.Self && !e.Learner && known && d.Full == "" && !d.Parted {
			well++
		}
	}
	return well > voters(list)/2
}

// scarcity is why nothing is to be written: so many disks are full that one of them would be needed; empty: there are others.
func (w *diskWatch) scarcity(list []Member) string {
	room, full := 0, []string(nil)
	for i := range list {
		e := &list[i]
		switch d, known := w.of(e); {
		case e.Learner || !known:
		case d.Full == "":
			room++
		case !e.Self:
			full = append(full, e.Name)
		}
	}
	if len(full) == 0 || room > voters(list)/2 {
		return ""
	}
	return fmt.Sprintf("the disks of %s are full, and %d of %d members have room: more than half of them have to keep what is "+
		"taken", strings.Join(full, ", "), room, voters(list))
}

// part has this member take nothing from the others, and have no part in their votes, if it does not lead. What it has is
// kept, and it goes on from there.
func (w *diskWatch) part(list []Member) {
	m := w.m
	if m.port == nil || m.server.Leader() == m.server.MemberID() && !w.leaveLead() {
		return
	}
	w.parted.Store(true) // the port takes nothing any more
	for i := range list {
		if id, err := types.IDFromString(list[i].ID); err == nil && !list[i].Self {
			m.server.CutPeer(id)
			w.cut = append(w.cut, id)
		}
	}
	m.cfg.Log.Error("the disk is nearly full: this member of the store takes nothing from the others until there is room",
		"directory", m.cfg.Dir, "free_mib", m.free()>>20)
}

// leaveLead gives the lead away; false: nobody takes it.
func (w *diskWatch) leaveLead() bool {
	m := w.m
	ctx, cancel := context.WithTimeout(context.Background(), 2*moveLimit)
	defer cancel()
	_ = (&Cluster{m}).MoveLeader(ctx) // as it is then
	return m.server.Leader() != m.server.MemberID()
}

// mend has this member be with the others again, if it was parted from them. It is sent what it has missed.
func (w *diskWatch) mend() {
	m := w.m
	if !w.parted.Load() {
		return
	}
	for _, id := range w.cut {
		m.server.MendPeer(id)
	}
	w.cut = nil
	w.parted.Store(false)
	m.cfg.Log.Warn("this member of the store is with the others again", "directory", m.cfg.Dir)
}
