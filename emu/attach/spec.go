package attach

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/packet"
)

// Spec is what a user asks for: a device, and the port of an emulated switch that it is joined to.
type Spec struct {
	Switch string // name or datapath id
	Port   uint32 // 0: the lowest free one
	Config
}

// Form is how a Spec is written, for help.
const Form = "SWITCH[:PORT]=DEVICE[,type=veth][,netns=NAME][,address=IP/BITS][,mac=MAC][,mtu=N]"

// option is one of those after the device: read takes its value.
type option struct {
	name, example string
	read          func(s *Spec, value string) error
}

func options() []option {
	return []option{
		{"type", "veth", func(s *Spec, v string) error {
			if s.Kind = Kind(v); s.Kind != TAP && s.Kind != VETH {
				return fmt.Errorf("%q given, want tap or veth", v)
			}
			return nil
		}},
		{"netns", "h1", func(s *Spec, v string) error {
			if s.Namespace = v; v == "" || v == "." || v == ".." {
				return fmt.Errorf("%q given, want a name as of ip netns list, or a path", v)
			}
			return nil
		}},
		{"address", "10.0.0.100/8", readAddress},
		{"mac", "02:00:00:00:01:00", func(s *Spec, v string) (err error) {
			if s.MAC, err = packet.ParseMAC(v); err == nil && (s.MAC == packet.MAC{} || s.MAC[0]&1 != 0) {
				err = fmt.Errorf("%q given, want that of one device, such as 02:00:00:00:01:00", v)
			}
			return err
		}},
		{"mtu", "9000", func(s *Spec, v string) (err error) {
			if s.MTU, err = strconv.Atoi(v); err != nil || s.MTU < MinMTU || s.MTU > MaxMTU {
				return fmt.Errorf("%q given, want bytes from %d to %d, such as 9000", v, MinMTU, MaxMTU)
			}
			return nil
		}},
	}
}

func readAddress(s *Spec, v string) error {
	p, err := netip.ParsePrefix(v)
	if a := p.Addr(); err != nil || a.IsUnspecified() || a.IsMulticast() || slices.Contains(s.Addresses, p) {
		return fmt.Errorf("%q given, want an address and the bits of its network, once, such as 10.0.0.100/8 or fd00::100/64", v)
	}
	s.Addresses = append(s.Addresses, p)
	return nil
}

// Parse reads a Spec as Form says: "s1=tap1",
// "s1:9=eth0,netns=h1,address=10.0.0.100/24,address=fd00::100/64". Only address= may be given more
// than once. The error says what was given and what was expected.
func Parse(text string) (Spec, error) {
	s := Spec{Config: Config{Kind: TAP}}
	at, rest, ok := strings.Cut(text, "=")
	words := strings.Split(rest, ",")
	if !ok || at == "" {
		return s, fmt.Errorf("%q given, want %s, such as s1=tap1,address=10.0.0.100/8", text, Form)
	}
	name, number, numbered := strings.Cut(at, ":")
	if s.Switch = name; numbered {
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil || n == 0 || name == "" {
			return s, fmt.Errorf("%q given, want SWITCH:PORT with a number from 1, or SWITCH for the next free port", at)
		}
		s.Port = uint32(n)
	}
	s.Name = words[0]
	if err := checkName(s.Name); err != nil {
		return s, err
	}
	return s, s.readOptions(words[1:])
}

func (s *Spec) readOptions(words []string) error {
	seen := map[string]bool{}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		i := slices.IndexFunc(options(), func(o option) bool { return o.name == name })
		if i < 0 {
			var names []string
			for _, o := range options() {
				names = append(names, o.name+"="+o.example)
			}
			return fmt.Errorf("option %q given, want one of %s", name, strings.Join(names, ", "))
		}
		if seen[name] && name != "address" {
			return fmt.Errorf("%s= given twice", name)
		}
		seen[name] = true
		if err := options()[i].read(s, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
