package control

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
)

// Do runs one action. After an error nothing was done, or, of an action on all switches, a part.
func (d *Operator) Do(a topo.Action) error {
	switch a := a.(type) {
	case topo.LinkAction:
		return d.changeLink(a)
	case topo.PortAction:
		return d.changePort(a)
	case topo.SwitchAction:
		return d.each(a.Switch, func(sw *emu.Switch) error { return changeSwitch(sw, a) })
	case topo.ControlAction:
		return d.each(a.Switch, func(sw *emu.Switch) error { return d.changeControl(sw, a) })
	case topo.TrafficAction:
		return d.send(a)
	}
	panic(fmt.Sprintf("control: action %T", a))
}

func (d *Operator) changeLink(a topo.LinkAction) error {
	l := d.names.links[a.Link]
	if l == nil {
		return fmt.Errorf("link %s given: %w", a.Link, ErrUnknown)
	}
	if err := setLink(l, a.Way, a.Change); err != nil {
		return err
	}
	if a.Up != nil {
		l.SetUp(*a.Up)
	}
	return nil
}

// setLink changes both directions or neither.
func setLink(l *emu.Link, way topo.Direction, c topo.Change) error {
	if c.Empty() {
		return nil
	}
	ways := map[topo.Direction][]emu.Direction{topo.Both: {emu.Forward, emu.Back}, topo.Forward: {emu.Forward},
		topo.Back: {emu.Back}}[way]
	for _, w := range ways {
		if err := c.Over(l.Spec(w)).Check(); err != nil {
			return fmt.Errorf("link %s: %w", l.ID, err)
		}
	}
	for _, w := range ways {
		if err := l.Set(w, c.Over(l.Spec(w))); err != nil {
			return err
		}
	}
	return nil
}

func (d *Operator) changePort(a topo.PortAction) error {
	sw, err := d.names.numbered(a.At.Switch)
	if err != nil {
		return err
	}
	return sw.SetPort(a.At.Port, a.Up)
}

// each does something with one switch, or with all.
func (d *Operator) each(index int, do func(sw *emu.Switch) error) error {
	list := d.net.Switches()
	if index != topo.All {
		sw, err := d.names.numbered(index)
		if err != nil {
			return err
		}
		list = []*emu.Switch{sw}
	}
	for _, sw := range list {
		if err := do(sw); err != nil {
			return err
		}
	}
	return nil
}

// IgnoreFlowMods is the misbehaviour of a switch that is set to lying without more detail: it
// accepts flow-mods, and changes nothing.
var IgnoreFlowMods = emu.Misbehaviour{ForgetFlowMods: true}

func changeSwitch(sw *emu.Switch, a topo.SwitchAction) error {
	if a.Slow != nil {
		if err := sw.Control().Slow(emu.AllControllers, *a.Slow); err != nil {
			return err
		}
	}
	if a.Stalled != nil {
		if err := sw.Control().Stall(emu.AllControllers, *a.Stalled); err != nil {
			return err
		}
	}
	if a.Lying != nil {
		sw.Misbehave(map[bool]emu.Misbehaviour{true: IgnoreFlowMods}[*a.Lying])
	}
	switch {
	case a.Down == nil:
	case *a.Down:
		sw.Down()
	default:
		sw.Up()
	}
	return nil
}

func (d *Operator) changeControl(sw *emu.Switch, a topo.ControlAction) error {
	controller := emu.AllControllers
	if a.Controller != "" {
		if controller = slices.Index(d.net.Controllers(), a.Controller); controller < 0 {
			return fmt.Errorf("controller %s given: %w", a.Controller, ErrUnknown)
		}
	}
	if a.Stalled != nil {
		if err := sw.Control().Stall(controller, *a.Stalled); err != nil {
			return err
		}
	}
	if a.Up != nil {
		return sw.Control().CutOff(controller, !*a.Up)
	}
	return nil
}
