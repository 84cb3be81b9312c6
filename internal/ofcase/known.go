package ofcase

import (
	"encoding/hex"
	"regexp"
	"strings"
)

// Known is a difference between two switches that is understood: which of them is right, and why,
// docs/spec/flowtable-oracle.md says under its name.
type Known struct {
	Name string
	// Is tells it by the lines in which the two differ, those of the one and those of the other, in
	// their order.
	Is func(one, other []string) bool
}

// OVSKnown are those between a flowtable.Switch and Open vSwitch 3.1.
var OVSKnown = []Known{
	{"second-tag-then-ipv6", secondTagThenIPv6},
	{"normal-takes-a-tag", normalTakesATag},
	{"modified-meter-begins-anew", modifiedMeterBeginsAnew},
}

// Among is the known difference that this one is; "" if it is none.
func (d *Difference) Among(list []Known) string {
	one, other := without(d.One, d.Other), without(d.Other, d.One)
	if len(one) == 0 || len(one) != len(other) {
		return ""
	}
	for _, k := range list {
		if k.Is(one, other) {
			return k.Name
		}
	}
	return ""
}

// pairs reports whether all of two lists of the same length are frames that the same ports send,
// and each two of them are alike in a sense.
func pairs(one, other []string, alike func(a, b []byte) bool) bool {
	for i := range one {
		port, a, ok := sends(one[i])
		same, b, okToo := sends(other[i])
		if !ok || !okToo || port != same || !alike(a, b) {
			return false
		}
	}
	return true
}

// sends reads a line of a frame that is sent.
func sends(line string) (port string, frame []byte, ok bool) {
	port, text, ok := strings.Cut(line, " sends ")
	if !ok {
		return "", nil, false
	}
	frame, err := hex.DecodeString(text)
	return port, frame, err == nil
}

const (
	tagsAt    = 12 // of the first tag's type, in a frame
	tagLen    = 4
	ipv6Space = 128 // bytes from the second tag's type on in which Open vSwitch writes an address
)

// twoTags reports whether a frame has two VLAN tags, and so many bytes behind them.
func twoTags(frame []byte, behind int) bool {
	return len(frame) >= tagsAt+2*tagLen+2+behind && tag(frame[tagsAt:]) && tag(frame[tagsAt+tagLen:])
}

func tag(b []byte) bool { return b[0] == 0x81 && b[1] == 0 || b[0] == 0x88 && b[1] == 0xa8 }

// secondTagThenIPv6: an address of IPv6 is set in a packet that has got a second tag.
func secondTagThenIPv6(one, other []string) bool {
	return pairs(one, other, func(a, b []byte) bool {
		at := tagsAt + 2*tagLen
		if len(a) != len(b) || !twoTags(a, 40) || a[at] != 0x86 || a[at+1] != 0xdd || string(a[:at+2]) != string(b[:at+2]) {
			return false
		}
		end := min(len(a), at+ipv6Space)
		return string(a[end:]) == string(b[end:])
	})
}

// normalTakesATag: a packet with two tags leaves NORMAL without the inner one.
func normalTakesATag(one, other []string) bool {
	return pairs(one, other, func(a, b []byte) bool {
		inner := tagsAt + tagLen
		return twoTags(a, 0) && string(a[:inner])+string(a[inner+tagLen:]) == string(b)
	})
}

var meterCounts = regexp.MustCompile(
	`packet_in_count=\d+,byte_in_count=\d+,duration_sec=\d+,duration_nsec=\d+,band_stats=\[[^\]]*\]`)

// modifiedMeterBeginsAnew: the counters of a meter that was modified.
func modifiedMeterBeginsAnew(one, other []string) bool {
	for i := range one {
		if !strings.HasPrefix(one[i], "item type=meter ") ||
			meterCounts.ReplaceAllString(one[i], "") != meterCounts.ReplaceAllString(other[i], "") {
			return false
		}
	}
	return true
}
