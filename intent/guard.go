package intent

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/plan"
)

// RowOwner is the name under which the rows of guards are desired.
const RowOwner = "tags"

// guardsAhead is how many ids are guarded beyond the highest that is a tag: a row is there, mostly, before its id is
// handed out.
const guardsAhead = 8

// guard desires, on every switch, a row for each id that is a tag anywhere: a frame with such an id that no switch has
// tagged, and so no rule of an intent knows, goes to the controller and nowhere else. So no link carries a host's frame
// with the id of a tag; and discovery sees the host, whose id it is from then on.
type guard struct {
	rows   *netview.Desired // nil: nobody writes any
	domain uint16

	switches map[netview.DPID]bool
	ids      []uint16 // in order
}

// follow takes a step's changes of the network, which may be nil, and of the ids that are taken.
func (g *guard) follow(t *pathing.Tags, u *NetworkUpdate) {
	if g.rows == nil {
		return
	}
	ids := g.ids
	if len(t.TakeNews()) > 0 {
		ids = guarded(t)
	}
	came, went := g.switchesChanged(u)
	if len(came)+len(went) == 0 && slices.Equal(ids, g.ids) {
		return
	}
	g.rows.Update(func(tx *netview.DesiredTx) {
		for dpid := range g.switches {
			fresh := slices.Contains(came, dpid)
			for _, id := range ids {
				if _, had := slices.BinarySearch(g.ids, id); fresh || !had {
					tx.Put(g.row(dpid, id))
				}
			}
		}
		for _, id := range g.ids {
			_, stays := slices.BinarySearch(ids, id)
			for dpid := range g.switches {
				if !stays {
					tx.Delete(g.key(dpid, id))
				}
			}
			for _, dpid := range went {
				tx.Delete(g.key(dpid, id))
			}
		}
	})
	g.ids = ids
}

// guarded returns the ids that are tags, and some that may be next.
func guarded(t *pathing.Tags) (ids []uint16) {
	for id := uint16(1); id <= pathing.TagMax; id++ {
		if t.Taken(id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	ahead := guardsAhead
	for id := ids[len(ids)-1] + 1; id <= pathing.TagMax && ahead > 0; id++ {
		if !t.Denied(id) {
			ids = append(ids, id)
			ahead--
		}
	}
	return ids
}

// switchesChanged notes which switches there are, and returns those that came and went.
func (g *guard) switchesChanged(u *NetworkUpdate) (came, went []netview.DPID) {
	if u == nil {
		return nil, nil
	}
	add := func(dpid netview.DPID) {
		if !g.switches[dpid] {
			g.switches[dpid] = true
			came = append(came, dpid)
		}
	}
	if u.Resync {
		for sw := range u.Snap.Switches() {
			add(sw.DPID)
		}
		for dpid := range g.switches {
			if _, there := u.Snap.Switch(dpid); !there {
				went = append(went, dpid)
			}
		}
	}
	for i := range u.Changes {
		switch c := &u.Changes[i]; {
		case c.Kind != netview.KindSwitch:
		case c.Deleted:
			went = append(went, c.Switch.DPID)
		default:
			add(c.Switch.DPID)
		}
	}
	for _, dpid := range went {
		if _, there := u.Snap.Switch(dpid); !there {
			delete(g.switches, dpid)
		}
	}
	went = slices.DeleteFunc(went, func(dpid netview.DPID) bool { return g.switches[dpid] })
	return came, went
}

func (g *guard) row(dpid netview.DPID, id uint16) netview.Rule {
	key := g.key(dpid, id)
	return netview.Rule{
		DPID: dpid, Table: key.Table, Priority: key.Priority, Match: guardMatch(id),
		Cookie:       plan.Cookie{Domain: g.domain, Kind: plan.KindInfrastructure}.Encode(),
		Instructions: []openflow.Instruction{openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))},
	}
}

func (g *guard) key(dpid netview.DPID, id uint16) netview.RuleKey {
	return netview.RuleKey{DPID: dpid, Table: plan.TableAdmission, Priority: plan.PriorityTagGuard, Match: guardMatch(id).Key()}
}

func guardMatch(id uint16) (m openflow.Match) {
	m.SetUint(openflow.FieldVLANVID, uint64(id|openflow.VLANPresent))
	return m
}
