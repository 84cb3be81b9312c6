package control

import (
	"fmt"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/topo"
)

// Attached is a device of the machine at a port.
type Attached struct {
	Cable *attach.Cable
	Port  *emu.Attachment
}

// Attach connects a device to a port, before the network starts; Close removes it. The error wraps
// ErrUnknown where there is no such switch, or is that of attach.Open or of emu's Attach. Nothing
// is left behind then.
func (d *Operator) Attach(s attach.Spec) (*Attached, error) {
	sw := d.Switch(s.Switch)
	if sw == nil {
		return nil, fmt.Errorf("switch %s given, want one such as %s: %w", s.Switch, d.net.Switches()[0].Name(), ErrUnknown)
	}
	if _, err := sw.FreePort(s.Port); err != nil { // nothing has been made yet
		return nil, err
	}
	if err := d.names.unusedAddresses(&s.Config); err != nil {
		return nil, err
	}
	device, err := attach.Open(s.Config)
	if err != nil {
		return nil, err
	}
	c := attach.NewCable(device)
	port, err := sw.Attach(s.Port, s.Name, topo.LinkSpec{}, c)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	c.Join(port)
	a := &Attached{c, port}
	d.names.links[port.Link().ID] = port.Link()
	d.attached = append(d.attached, a)
	return a, nil
}

// unusedAddresses returns an error if an emulated host has an address of a device.
func (n *names) unusedAddresses(c *attach.Config) error {
	for _, p := range c.Addresses {
		if h := n.withAddress(p.Addr()); h != nil {
			return fmt.Errorf("address %s of %s given, which is that of host %s: want one that no host has",
				p.Addr(), c.Name, h.Spec().Name)
		}
	}
	return nil
}

// String describes the attachment: "tap1 02:00:00:00:00:01 in h1, 10.0.0.100/24: port 2 of s1".
func (a *Attached) String() string {
	c := a.Cable.Device().Config()
	text := fmt.Sprintf("%s %s", c.Name, a.Cable.Device().MAC())
	if c.Namespace != "" {
		text += " in " + c.Namespace
	}
	for _, p := range c.Addresses {
		text += ", " + p.String()
	}
	_, _, sw, port := a.Port.Link().Ends()
	return fmt.Sprintf("%s: port %d of %s", text, port, sw.Name())
}
