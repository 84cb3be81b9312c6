package flowtable_test

import (
	"testing"

	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// FuzzLoadedSwitch: no message makes a switch that has entries, groups and meters panic or break an
// invariant, nor does a frame that comes after it. What is refused is refused with an error that a
// controller can be told.
func FuzzLoadedSwitch(f *testing.F) {
	opt := ofcase.Options{Groups: true, Select: true, Meters: true, Odd: true, Waits: true, Steps: 60}
	var frame ofcase.Step
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		_, opt.Addresses = casePorts(v)
		opt.Mods = true
		for _, s := range ofcase.Generate(v, 1, opt).Steps {
			if s.Message != nil {
				f.Add(s.Message)
			} else if s.Frame != nil {
				frame = s
			}
		}
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		if len(message) < openflow.HeaderLen {
			return
		}
		v := openflow.Version(message[0])
		_, m, err := openflow.Parse(message)
		if err != nil {
			return
		}
		switch m.(type) {
		case *openflow.FlowMod, *openflow.GroupMod, *openflow.MeterMod, *openflow.PortMod, *openflow.TableMod,
			*openflow.PacketOut,
			*openflow.MultipartRequest:
		default:
			return
		}
		ports, addresses := casePorts(v)
		opt.Addresses = addresses
		s := &subject{t: t, v: v, ports: ports}
		s.Reset()
		for _, step := range ofcase.Generate(v, 2, opt).Steps {
			s.Do(step)
		}
		s.Do(ofcase.Step{Message: message})
		s.Do(frame)
	})
}
