package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
)

// State is what an instance persists of its configuration.
type State struct {
	// Text is the configuration in force, byte by byte as given; empty if none was.
	Text string `json:"text"`
	// Source is where Text is from.
	Source Source `json:"source"`
	// File and Sum are the last file read (--config) and the SHA-256 of its contents: the file is
	// applied again when these change.
	File string `json:"file,omitempty"`
	Sum  string `json:"sum,omitempty"`
	// By is who gave Text, and At when.
	By string    `json:"by,omitempty"`
	At time.Time `json:"at"`
	// Drains are what is drained, in no order that means anything.
	Drains []Drain `json:"drains,omitempty"`
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
