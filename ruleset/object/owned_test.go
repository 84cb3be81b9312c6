package object

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestOwnedGroups: owners' groups do what the others do, are different ones for each owner, and use those of theirs.
func TestOwnedGroups(t *testing.T) {
	inner := group(t, openflow.GroupTypeIndirect, Bucket{Actions: actions(t, "output:1")})
	outer := group(t, openflow.GroupTypeFastFailover, Bucket{WatchGroup: inner, Group: inner})
	alone := group(t, openflow.GroupTypeIndirect, Bucket{Group: inner})
	list := map[uint32]*Group{1: inner, 2: outer}
	own := OwnedGroups(list, func(number uint32) uint64 { return uint64(number) << 8 })
	other := OwnedGroups(list, func(number uint32) uint64 { return uint64(number) << 9 })
	for number, g := range list {
		o := own[number]
		if !SameWork(g, o) || Owner(o) != uint64(number)<<8 || Owner(g) != 0 {
			t.Errorf("%s is %s, of %x", g, o, Owner(o))
		}
		if *g.Digest() == *o.Digest() || *other[number].Digest() == *o.Digest() || g.Key() == o.Key() {
			t.Errorf("%s and %s are one object", g, o)
		}
	}
	if uses := own[2].Uses(); len(uses) != 1 || uses[0] != own[1] || own[2].Buckets()[0].WatchGroup != own[1] {
		t.Errorf("the outer group uses %v", uses)
	}
	if outer.Uses()[0] != inner || outer.Buckets()[0].Group != inner {
		t.Error("the group without an owner has changed")
	}
	if g := OwnedGroups(map[uint32]*Group{3: alone}, func(uint32) uint64 { return 7 })[3]; g.Uses()[0] != inner {
		t.Errorf("%s uses %v", g, g.Uses())
	}
	half := OwnedGroups(list, func(number uint32) uint64 { return 1 + uint64(number)>>1<<9 })
	if *half[2].Digest() == *other[2].Digest() {
		t.Error("a group that uses another one is the same object")
	}
}
