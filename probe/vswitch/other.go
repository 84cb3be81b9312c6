//go:build !linux

package vswitch

import (
	"context"
	"errors"

	"github.com/weirnet/weir/probe/nic"
)

var errLinux = errors.New("an Open vSwitch of its own needs Linux")

// ErrNotInstalled: the machine has no Open vSwitch.
var ErrNotInstalled = errors.New("no Open vSwitch is installed")

// Switch is an Open vSwitch: there is none on this system.
type Switch struct{ Ends []nic.Config }

// New refuses.
func New(int) (*Switch, error) { return nil, errLinux }

// Inside refuses.
func (s *Switch) Inside(func() error) error { return errLinux }

// Start refuses.
func (s *Switch) Start(context.Context, string) error { return errLinux }

// Close does nothing.
func (s *Switch) Close() error { return nil }
