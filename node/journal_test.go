package node_test

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// entry is one message that a switch got.
type entry struct {
	dpid uint64
	conn any // the connection
	h    openflow.Header
	m    openflow.Message
}

// journal has what all switches got, in the order in which they did.
type journal struct {
	bell *bell
	mu   sync.Mutex
	all  []entry
}

// add notes a message.
func (j *journal) add(dpid uint64, conn any, frame []byte) entry {
	h, m, err := openflow.Parse(bytes.Clone(frame))
	if err != nil {
		panic("the instance sent what cannot be read: " + err.Error())
	}
	e := entry{dpid, conn, h, m}
	j.mu.Lock()
	j.all = append(j.all, e)
	j.mu.Unlock()
	j.bell.ring()
	return e
}

// since are the entries after the first n for which keep is true.
func (j *journal) since(n int, keep func(entry) bool) []entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []entry
	for _, e := range j.all[n:] {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// mark is the number of entries so far.
func (j *journal) mark() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.all)
}

func isFlowMod(e entry) bool { return e.m.Type() == openflow.TypeFlowMod }

// isDeletion reports whether a message takes entries away.
func isDeletion(e entry) bool {
	fm, ok := e.m.(*openflow.FlowMod)
	return ok && (fm.Command == openflow.FlowDelete || fm.Command == openflow.FlowDeleteStrict)
}

// isProbe reports whether a message sends out a discovery frame.
func isProbe(e entry) bool {
	po, ok := e.m.(*openflow.PacketOut)
	return ok && len(po.Data) >= 14 && bytes.Equal(po.Data[12:14], []byte{0x88, 0xcc})
}

// isData reports whether a message sends out any other frame.
func isData(e entry) bool { return e.m.Type() == openflow.TypePacketOut && !isProbe(e) }

// outputs are the ports that instructions or actions send to.
func outputs(m openflow.Message) []uint32 {
	var ports []uint32
	add := func(list []openflow.Action) {
		for _, a := range list {
			if a.Type == openflow.ActionOutput {
				ports = append(ports, a.Port)
			}
		}
	}
	switch m := m.(type) {
	case *openflow.FlowMod:
		for _, in := range m.Instructions {
			add(in.Actions)
		}
	case *openflow.PacketOut:
		add(m.Actions)
	}
	slices.Sort(ports)
	return ports
}

// tap writes down what an emulated switch gets.
type tap struct {
	dpid    uint64
	journal *journal
}

func (t tap) Frame(s *session.Session, _ openflow.Header, frame []byte) bool {
	t.journal.add(t.dpid, s, frame)
	return false
}

func (tap) BatchEnd(*session.Session) {}

// emulate connects an emulated network with one host a switch, and waits until the instance knows
// all of it.
func (i *instance) emulate(topology string, v openflow.Version) *loadswitch.Network {
	i.t.Helper()
	top, err := loadswitch.ParseTopology(topology, 1)
	if err != nil {
		i.t.Fatal(err)
	}
	n := loadswitch.New(top, loadswitch.Config{Version: v, Hosts: 1, Tap: func(sw *loadswitch.Switch) loadswitch.Tap {
		return tap{sw.DatapathID(), i.journal}
	}})
	i.t.Cleanup(func() {
		if err := n.Close(context.Background()); err != nil {
			i.t.Error(err)
		}
	})
	if err := n.Connect(i.t.Context(), i.at.OpenFlow); err != nil {
		i.t.Fatal(err)
	}
	i.await("all links", func() bool { return i.linksUp() == 2*len(top.Links) })
	for _, sw := range n.Switches {
		sw.Announce(nil)
	}
	i.await("all hosts", func() bool { return len(i.hosts()) == len(n.Switches) })
	i.await("all rules", func() bool { return i.settled(len(n.Switches)) })
	return n
}

// linksUp is how many links, one for each direction, are up and confirmed.
func (i *instance) linksUp() int {
	n := 0
	for _, l := range i.links() {
		if l.Up && l.State == "confirmed" {
			n++
		}
	}
	return n
}

// settled reports whether every one of so many switches has its infrastructure and its tree rules,
// all installed.
func (i *instance) settled(switches int) bool {
	base, tree := map[string]bool{}, map[string]bool{}
	for _, f := range i.flows("") {
		if !f.Soft && f.State != "installed" {
			return false
		}
		if f.Match["eth_type"] == "0x88cc" {
			base[f.DPID] = true
		} else if f.Match["eth_dst"] == "ff:ff:ff:ff:ff:ff" {
			tree[f.DPID] = true
		}
	}
	return len(base) == switches && len(tree) == switches
}
