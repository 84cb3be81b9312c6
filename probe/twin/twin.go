package twin

import (
	"context"
	"errors"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/nic"
)

// Config is a switch to be emulated.
type Config struct {
	Profile profile.Profile
	// Controller is where it connects, HOST:PORT.
	Controller string
	// Versions are those that it offers; none means 1.0 and 1.3.
	Versions []openflow.Version
	Ends     int         // how many interfaces; 0: 2
	MTU      int         // of the interfaces, in bytes of an IP packet; 0: 1500
	Kind     attach.Kind // of the devices; empty: TAP
	Seed     uint64      // of what chance does
	// Program is the weir that emulates the switch in a process of its own, as weir emulate does: then
	// it does not share this process's threads with who measures. Empty: this process.
	Program string
}

// Twin is an emulated switch between interfaces.
type Twin struct {
	Ends []nic.Config

	unplug   func() // takes the namespace away
	net      *emu.Network
	operator *control.Operator
	program  *program // in place of both
}

// Fidelity is how late a switch in this process was with what its profile promises.
func (t *Twin) Fidelity() emu.Fidelity { return t.net.Fidelity() }

// Entries is how many a switch in this process holds.
func (t *Twin) Entries() int { return t.net.Switches()[0].Entries() }

// Close ends the switch and takes the devices away.
func (t *Twin) Close(ctx context.Context) error {
	var err error
	if t.net != nil {
		err = t.net.Close(ctx)
	}
	if t.operator != nil {
		err = errors.Join(err, t.operator.Close())
	}
	if t.program != nil {
		err = errors.Join(err, t.program.close())
	}
	t.unplug()
	return err
}
