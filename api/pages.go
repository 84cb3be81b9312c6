package api

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
)

// pages keeps the lists that are read page by page: the rows, which never change, and not what is
// answered. It is bounded in lists, rows and time; the oldest list goes first. Its lock is held for
// looking up only.
type pages struct {
	limits rest.Limits
	now    func() time.Time

	mu    sync.Mutex
	kept  []*keptList // oldest first
	rows  int
	newID func() string
}

// keptList is one list. Rows is a []R of the list's rows; query is what was asked for.
type keptList struct {
	id       string
	query    string
	snapshot *netview.Snapshot
	rows     any
	n        int
	until    time.Time
}

func newPages(l rest.Limits, now func() time.Time) pages {
	return pages{limits: l, now: now, newID: newListID}
}

func newListID() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// keep makes a list readable for a while. A list that alone is above the bound is kept alone.
func (p *pages) keep(l keptList) *keptList {
	l.id = p.newID()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	for len(p.kept) > 0 && (len(p.kept) >= p.limits.KeptLists || p.rows+l.n > p.limits.KeptRows) {
		p.drop()
	}
	l.until = p.now().Add(p.limits.KeepFor)
	p.kept = append(p.kept, &l)
	p.rows += l.n
	return &l
}

// find returns the list of that id, or nil if it is not kept any more.
func (p *pages) find(id string) *keptList {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	for _, l := range p.kept {
		if l.id == id {
			return l
		}
	}
	return nil
}

func (p *pages) expire() {
	for now := p.now(); len(p.kept) > 0 && !now.Before(p.kept[0].until); {
		p.drop()
	}
}

func (p *pages) drop() {
	p.rows -= p.kept[0].n
	p.kept[0] = nil
	p.kept = p.kept[1:]
}
