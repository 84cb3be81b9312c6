package object

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Object is a *Meter or a *Group.
type Object interface {
	// Key is equal for two objects exactly if both are meters, or groups of one type, and a switch does the same.
	Key() string
	// Digest is a short form of Key, as good as unique: by it keys name other objects.
	Digest() *Digest
	// Message is the message that adds the object to a switch under a number, gives the one of that number its
	// content, or deletes it. numbers returns the numbers of the groups that it uses.
	Message(c Command, number uint32, numbers func(Object) uint32) openflow.Message
	// String is the content, in the words of the messages' canonical text.
	String() string

	// Uses returns the groups that a group sends to or watches, each once. It is not to be changed.
	Uses() []*Group

	self() *identity
}

// Digest is the SHA-256 of a key.
type Digest [sha256.Size]byte

// Command is what a message does to an object. It has the numbers of both enum ofp_group_mod_command and enum
// ofp_meter_mod_command.
type Command uint16

// The commands.
const (
	Add Command = iota
	Modify
	Delete
)

// identity is the key of an object, and its digest.
type identity struct {
	key    string
	digest Digest
	does   Digest // of the same object without an owner
	owner  uint64 // 0: whoever uses it
}

func newIdentity(key []byte) identity {
	digest := Digest(sha256.Sum256(key))
	return identity{string(key), digest, digest, 0}
}

// owned returns the identity of the object of an owner that has this key without one, and does the same as another.
func owned(key string, owner uint64, does Digest) identity {
	i := newIdentity(binary.BigEndian.AppendUint64([]byte(key), owner))
	i.owner, i.does = owner, does
	return i
}

// Key implements Object.
func (i *identity) Key() string { return i.key }

// Digest implements Object. It is not to be changed.
func (i *identity) Digest() *Digest { return &i.digest }

func (i *identity) self() *identity { return i }

// Owner returns whose an object is (Meter.Owned, Group.Owned); 0 if it is whoever's uses it.
func Owner(o Object) uint64 { return o.self().owner }

// Held is an object of an owner that a switch is known to have.
type Held struct {
	Object Object
	Number uint32
	Since  time.Time // it was made in this session then; zero if before
}

// SameWork reports whether a switch does the same for two objects of one kind, whoever owns them: it lists them alike.
func SameWork(a, b Object) bool { return a.self().does == b.self().does }

// InOrder returns objects and all groups that they use, in the order in which a switch takes them: each once, after
// those that it uses.
func InOrder(list ...Object) []Object {
	var order []Object
	seen := make(map[Digest]bool)
	var visit func(Object)
	visit = func(o Object) {
		if seen[*o.Digest()] {
			return
		}
		seen[*o.Digest()] = true
		for _, g := range o.Uses() { // no deeper than ChainMax
			visit(g)
		}
		order = append(order, o)
	}
	for _, o := range list {
		visit(o)
	}
	return order
}

// Numbers are the objects of a switch by their numbers there. A nil *Numbers has none.
type Numbers struct {
	Meters map[uint32]*Meter
	Groups map[uint32]*Group
}

// Meter returns the meter of a number, nil if it is not known.
func (n *Numbers) Meter(number uint32) *Meter {
	if n == nil {
		return nil
	}
	return n.Meters[number]
}

// Group returns the group of a number, nil if it is not known.
func (n *Numbers) Group(number uint32) *Group {
	if n == nil {
		return nil
	}
	return n.Groups[number]
}
