package object

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weirnet/weir/openflow"
)

// Limits of groups that send to each other. Open vSwitch drops what passes more than 64 groups one after the other,
// emulated switches also what passes more than 4,096 buckets in all; of the first, tables take a part.
const (
	ChainMax = 32
	FanMax   = 2048
)

// Bucket is a list of actions of a group.
type Bucket struct {
	Weight     uint16            // of select: its share of the packets; else 0
	WatchPort  uint32            // of fast failover and select: it takes part while this port is up; 0 for none
	WatchGroup *Group            // of fast failover and select: while a bucket of this group does; nil for none
	Actions    []openflow.Action // none that sends to a group
	Group      *Group            // where the packet goes after the actions, instead of an output; nil for none
}

// Group is a choice among lists of actions.
type Group struct {
	identity
	kind    openflow.GroupType
	buckets []Bucket // canonical
	used    []*Group
	out     []uint32 // ascending, each once
	chain   int      // groups that a packet passes one after the other
	fan     int      // buckets that it passes in all
}

// NewGroup returns a group. The actions of a bucket are a set: each type, and each field that is set, comes once, and
// they are done in the order of OpenFlow 1.3.5, section 5.10, whatever order they are given in. Buckets of weight 0
// get no packets and are left out; weights that are multiples of each other's say the same.
func NewGroup(kind openflow.GroupType, buckets ...Bucket) (*Group, error) {
	g := &Group{kind: kind}
	if kind > openflow.GroupTypeFastFailover {
		return nil, fmt.Errorf("group of type %s: want all, select, indirect or ff", kind)
	}
	if err := g.setBuckets(buckets); err != nil {
		return nil, fmt.Errorf("group of type %s with %w", kind, err)
	}
	if err := g.measure(); err != nil {
		return nil, fmt.Errorf("group of type %s with %w", kind, err)
	}
	if err := g.encode(); err != nil {
		return nil, fmt.Errorf("group of type %s with %d buckets: %w", kind, len(buckets), err)
	}
	return g, nil
}

// measure finds the groups that are used, the ports that are output to, and how far packets go.
func (g *Group) measure() error {
	for i := range g.buckets {
		b := &g.buckets[i]
		g.use(b.WatchGroup)
		g.use(b.Group)
		fan := 1
		if b.Group != nil {
			fan += b.Group.fan
			g.out = append(g.out, b.Group.out...)
		}
		for k := range b.Actions {
			if b.Actions[k].Type == openflow.ActionOutput {
				g.out = append(g.out, b.Actions[k].Port)
			}
		}
		if g.kind == openflow.GroupTypeAll {
			g.fan += fan
		} else {
			g.fan = max(g.fan, fan)
		}
	}
	for _, u := range g.used {
		g.chain = max(g.chain, u.chain)
	}
	g.chain++
	slices.Sort(g.out)
	g.out = slices.Compact(g.out)
	switch {
	case g.chain > ChainMax:
		return fmt.Errorf("a chain of %d groups: want at most %d, since switches drop what passes more; use fewer levels",
			g.chain, ChainMax)
	case g.fan > FanMax:
		return fmt.Errorf("%d buckets that one packet passes: want at most %d, since switches drop what passes more; use fewer copies",
			g.fan, FanMax)
	}
	return nil
}

// use notes that a group is used, if it is one.
func (g *Group) use(o *Group) {
	if o != nil && !slices.ContainsFunc(g.used, func(u *Group) bool { return u.digest == o.digest }) {
		g.used = append(g.used, o)
	}
}

// encode has the codec check what is left to it, values and lengths, and makes the key: the message with number 0 for
// all groups, and their digests in its order. The actions are the decoded ones, in memory of their own.
func (g *Group) encode() error {
	b, err := openflow.Append(nil, openflow.V13, 0, g.mod(Add, 0, func(Object) uint32 { return 0 }))
	if err != nil {
		return err
	}
	_, m, err := openflow.Parse(b)
	if err != nil {
		return err
	}
	key := append([]byte{'g'}, b[openflow.HeaderLen:]...)
	for i := range g.buckets {
		k := &g.buckets[i]
		k.Actions = m.(*openflow.GroupMod).Buckets[i].Actions[:len(k.Actions)]
		for _, u := range [...]*Group{k.WatchGroup, k.Group} {
			if u != nil {
				key = append(key, u.digest[:]...)
			}
		}
	}
	g.identity = newIdentity(key)
	return nil
}

// OwnedGroups returns groups that do the same as those of a list, and are owners' as Meter.Owned has it: also where these use
// each other. Each has an owner, who is not 0. Groups that they use and that are not in the list are nobody's.
func OwnedGroups(list map[uint32]*Group, owner func(number uint32) uint64) map[uint32]*Group {
	numbers, own := make(map[*Group]uint32, len(list)), make(map[uint32]*Group, len(list))
	for number, g := range list {
		numbers[g] = number
	}
	for _, number := range slices.Sorted(maps.Keys(list)) {
		ownedGroup(list[number], numbers, own, owner)
	}
	return own
}

// ownedGroup returns a group with its owner, after those that it uses; no deeper than ChainMax.
func ownedGroup(g *Group, numbers map[*Group]uint32, own map[uint32]*Group, owner func(uint32) uint64) *Group {
	number, listed := numbers[g]
	switch {
	case !listed:
		return g
	case own[number] != nil:
		return own[number]
	}
	x := *g
	x.buckets, x.used = slices.Clone(g.buckets), nil
	for i := range x.buckets {
		b := &x.buckets[i]
		for _, u := range [...]**Group{&b.WatchGroup, &b.Group} {
			if *u != nil {
				*u = ownedGroup(*u, numbers, own, owner)
				x.use(*u)
			}
		}
	}
	key := []byte(g.key)
	for _, u := range x.used {
		key = append(key, u.digest[:]...)
	}
	x.identity = owned(string(key), owner(number), g.does)
	own[number] = &x
	return &x
}

// Type returns how the group chooses among its buckets.
func (g *Group) Type() openflow.GroupType { return g.kind }

// Buckets returns the buckets in their canonical form. They are not to be changed.
func (g *Group) Buckets() []Bucket { return g.buckets }

// Out returns the ports that packets may be output to, also through other groups, in ascending order, each once,
// reserved ones too. It is not to be changed.
func (g *Group) Out() []uint32 { return g.out }

// Uses implements Object.
func (g *Group) Uses() []*Group { return g.used }

// Message implements Object.
func (g *Group) Message(c Command, number uint32, numbers func(Object) uint32) openflow.Message {
	return g.mod(c, number, numbers)
}

func (g *Group) mod(c Command, number uint32, numbers func(Object) uint32) *openflow.GroupMod {
	m := &openflow.GroupMod{Command: openflow.GroupModCommand(c), Group: number}
	if c == Delete {
		return m
	}
	m.Kind, m.Buckets = g.kind, make([]openflow.Bucket, len(g.buckets))
	for i := range g.buckets {
		b, to := &g.buckets[i], &m.Buckets[i]
		*to = openflow.Bucket{Weight: b.Weight, WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny, Actions: b.Actions}
		if b.WatchPort != 0 {
			to.WatchPort = b.WatchPort
		}
		if b.WatchGroup != nil {
			to.WatchGroup = numbers(b.WatchGroup)
		}
		if b.Group != nil {
			to.Actions = append(slices.Clip(b.Actions), openflow.Group(numbers(b.Group)))
		}
	}
	return m
}

// String implements Object: "group ff {watch_port=1,actions=[output:1]} {watch_port=2,actions=[output:2]}". Groups that
// it uses are named by the beginning of their digests.
func (g *Group) String() string {
	var b strings.Builder
	b.WriteString("group " + g.kind.String())
	for i := range g.buckets {
		b.WriteString(" " + g.buckets[i].String())
	}
	if g.owner != 0 {
		fmt.Fprintf(&b, " of owner %x", g.owner)
	}
	return b.String()
}

// String is the bucket in the words of the messages' canonical text.
func (k *Bucket) String() string {
	var parts []string
	if k.Weight != 0 {
		parts = append(parts, fmt.Sprintf("weight=%d", k.Weight))
	}
	if k.WatchPort != 0 {
		parts = append(parts, "watch_port="+openflow.PortText(k.WatchPort))
	}
	if k.WatchGroup != nil {
		parts = append(parts, fmt.Sprintf("watch_group=%x", k.WatchGroup.digest[:4]))
	}
	var actions []string
	for i := range k.Actions {
		actions = append(actions, k.Actions[i].String())
	}
	if k.Group != nil {
		actions = append(actions, fmt.Sprintf("group:%x", k.Group.digest[:4]))
	}
	return "{" + strings.Join(append(parts, "actions=["+strings.Join(actions, ",")+"]"), ",") + "}"
}
