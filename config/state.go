package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
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

// Check finds what is wrong with a drain.
func (d Drain) Check() (err error) {
	switch d.Kind {
	case DrainSwitch:
		_, err = ParseDPID(d.Object)
	case DrainPort:
		_, err = ParsePoint(d.Object)
	case DrainLink:
		_, err = ParseLink(d.Object)
	default:
		err = fmt.Errorf("drain of kind %q: want switch, port or link", d.Kind)
	}
	return err
}

// Sum returns the SHA-256 of a configuration, in hexadecimal.
func Sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
