//go:build !linux

package attach

import (
	"errors"

	"github.com/weirnet/weir/packet"
)

// Device is a device of the machine whose other end is read and written here: there are none on
// this system.
type Device struct{ cfg Config }

var errLinux = errors.New("devices of the machine as ports need Linux")

// Open refuses.
func Open(Config) (*Device, error) { return nil, errLinux }

// Config is what the device was made of.
func (d *Device) Config() Config { return d.cfg }

// MAC is that of nobody.
func (d *Device) MAC() packet.MAC { return packet.MAC{} }

// Read refuses.
func (d *Device) Read(*Batch) ([][]byte, error) { return nil, errLinux }

// Write refuses.
func (d *Device) Write([]byte) error { return errLinux }

// SetCarrier refuses.
func (d *Device) SetCarrier(bool) error { return errLinux }

// Close does nothing.
func (d *Device) Close() error { return nil }

func (d *Device) watch(<-chan struct{}, func(bool)) (gone bool) { return true }
