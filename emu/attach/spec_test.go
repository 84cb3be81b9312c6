package attach

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/weirnet/weir/packet"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Spec{
		"s1=tap1":                      {Switch: "s1", Config: Config{Name: "tap1", Kind: TAP}},
		"s1:9=eth0,netns=h1,type=veth": {Switch: "s1", Port: 9, Config: Config{Name: "eth0", Kind: VETH, Namespace: "h1"}},
		"00000000000000b1=a,mtu=9000":  {Switch: "00000000000000b1", Config: Config{Name: "a", Kind: TAP, MTU: 9000}},
		"s1=a,netns=/proc/7/ns/net":    {Switch: "s1", Config: Config{Name: "a", Kind: TAP, Namespace: "/proc/7/ns/net"}},
		"s1=a,mac=02:00:00:00:01:00":   {Switch: "s1", Config: Config{Name: "a", Kind: TAP, MAC: packet.MAC{2, 0, 0, 0, 1, 0}}},
		"s1=fifteenbytesxyz,type=tap":  {Switch: "s1", Config: Config{Name: "fifteenbytesxyz", Kind: TAP}},
		"s1=a,address=10.0.0.9/8,mtu=68": {Switch: "s1",
			Config: Config{Name: "a", Kind: TAP, MTU: 68, Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.9/8")}}},
		"s1=a,address=10.0.0.9/8,address=fd00::9/64": {Switch: "s1", Config: Config{Name: "a", Kind: TAP,
			Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.9/8"), netip.MustParsePrefix("fd00::9/64")}}},
	} {
		if got, err := Parse(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                              `"" given, want SWITCH[:PORT]=DEVICE`,
		"s1":                            `"s1" given, want SWITCH[:PORT]=DEVICE`,
		"=tap1":                         `want SWITCH[:PORT]=DEVICE`,
		"s1=":                           "no device given",
		"s1:0=tap1":                     `"s1:0" given, want SWITCH:PORT with a number from 1`,
		"s1:x=tap1":                     `"s1:x" given`,
		":1=tap1":                       `":1" given`,
		"s1=sixteenbytesxyz1":           "which has 16 bytes: want at most 15",
		"s1=a/b":                        "want a name of letters",
		"s1=a b":                        "want a name of letters",
		"s1=tap%d":                      "want a name of letters",
		"s1=..":                         "want a name of letters",
		"s1=tap1,type=tun":              `type: "tun" given, want tap or veth`,
		"s1=tap1,netns=":                `netns: "" given`,
		"s1=tap1,mtu=67":                `mtu: "67" given, want bytes from 68 to 9216`,
		"s1=tap1,mtu=x":                 `mtu: "x" given`,
		"s1=tap1,mac=01:00:00:00:0:1":   "mac: ",
		"s1=tap1,mac=ff:ff:ff:ff:ff:ff": "want that of one device",
		"s1=tap1,mac=00:00:00:00:00:00": "want that of one device",
		"s1=tap1,address=10.0.0.1":      "want an address and the bits of its network",
		"s1=tap1,address=224.0.0.1/4":   "want an address and the bits of its network",
		"s1=tap1,address=10.0.0.1/8,address=10.0.0.1/8": "want an address and the bits of its network, once",
		"s1=tap1,mtu=1500,mtu=1500":                     "mtu= given twice",
		"s1=tap1,delay=5ms":                             `option "delay" given, want one of type=veth, netns=h1, address=10.0.0.100/8, mac=`,
		"s1=tap1,":                                      `option "" given`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"s1=tap1",
		"s1:9=eth0,netns=h1,type=veth,address=10.0.0.9/8,address=fd00::9/64,mac=02:00:00:00:01:00,mtu=9000", "s1=,,", ":=%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err == nil && (s.Switch == "" || checkName(s.Name) != nil || s.MTU != 0 && (s.MTU < MinMTU || s.MTU > MaxMTU)) {
			t.Errorf("%+v", s)
		}
	})
}
