package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
)

// State is what a store has of the configuration: what is the network's.
type State struct {
	// Text is in force for the network: what it says is of scope OfNetwork. Until the state is Unsplit no more
	// it says also what is an instance's.
	Text string `json:"text"`
	// Source is where Text is from. If that is a file, File and Reader name it and the instance that read it.
	Source Source `json:"source"`
	File   string `json:"file,omitempty"`
	Reader string `json:"reader,omitempty"`
	// By is who gave Text, and At when.
	By string    `json:"by,omitempty"`
	At time.Time `json:"at"`
	// Drains are what is drained, in no order that means anything.
	Drains []Drain `json:"drains,omitempty"`
	// Unclaimed is an instance's part that an earlier version had here too, and that its instance has not taken yet.
	Unclaimed *Unclaimed `json:"unclaimed,omitempty"`
	// Unsplit: an earlier version wrote it, and Sum is that of the last file read.
	Unsplit bool   `json:"-"`
	Sum     string `json:"-"`
}

// Unclaimed is the part of an instance that is not here.
type Unclaimed struct {
	Part
	Owner string `json:"owner,omitempty"` // its name; empty: not known
}

// Source is where a configuration is from.
type Source string

// The sources.
const (
	FromDefaults Source = ""      // defaults and flags only
	FromFile     Source = "file"  // the file of --config
	FromApply    Source = "apply" // weir apply
)

// Drain is one drained object. Object is as ParseDPID, ParsePoint or ParseLink read it; a link
// means both directions.
type Drain struct {
	Kind   DrainKind `json:"kind"`
	Object string    `json:"object"`
	By     string    `json:"by,omitempty"`
	Since  time.Time `json:"since"`
}

// DrainKind is the kind of a drained object.
type DrainKind string

// What can be drained.
const (
	DrainSwitch DrainKind = "switch"
	DrainPort   DrainKind = "port"
	DrainLink   DrainKind = "link"
)

// Ends returns where a drained object is: a switch at its port 0, a link at both its ends, the lesser
// first.
func (d Drain) Ends() ([]netview.Point, error) {
	switch d.Kind {
	case DrainSwitch:
		dpid, err := ParseDPID(d.Object)
		return []netview.Point{{DPID: dpid}}, err
	case DrainPort:
		p, err := ParsePoint(d.Object)
		return []netview.Point{p}, err
	case DrainLink:
		ref, err := ParseLink(d.Object)
		ref = ref.Undirected()
		return []netview.Point{ref.A, ref.B}, err
	}
	return nil, fmt.Errorf("drain of kind %q: want switch, port or link", d.Kind)
}

// Sum returns the SHA-256 of a configuration, in hexadecimal.
func Sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
