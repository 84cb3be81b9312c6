//go:build !linux

package nic

import (
	"errors"

	"github.com/weirnet/weir/packet"
)

// NIC is an open interface: there are none on this system.
type NIC struct{ cfg Config }

var errLinux = errors.New("probes need Linux")

// Open refuses.
func Open(Config) (*NIC, error) { return nil, errLinux }

// Check refuses.
func Check(Config) error { return errLinux }

// Cable refuses.
func Cable(int) (a, b Config, unplug func(), err error) { return a, b, nil, errLinux }

// Config is what the NIC was opened with.
func (n *NIC) Config() Config { return n.cfg }

// Stamps is Software.
func (n *NIC) Stamps() Stamps { return Software }

// MAC is that of nobody.
func (n *NIC) MAC() packet.MAC { return packet.MAC{} }

// MTU is none.
func (n *NIC) MTU() int { return 0 }

// Send refuses.
func (n *NIC) Send([]byte) error { return errLinux }

// SendAll refuses.
func (n *NIC) SendAll(...[]byte) error { return errLinux }

// SendTrain refuses.
func (n *NIC) SendTrain(...[]byte) error { return errLinux }

// Interrupted is false.
func (n *NIC) Interrupted() bool { return false }

// Watch sees nothing.
func (n *NIC) Watch(func(*Frame)) {}

// Counters are empty.
func (n *NIC) Counters() Counters { return Counters{} }

// Close does nothing.
func (n *NIC) Close() error { return nil }
