package warmstart

import (
	"encoding/binary"
	"slices"

	"github.com/weirnet/weir/netview"
)

// A file is: magic 8, format 2, body, SHA-256 over all before it 32. Numbers are big-endian or,
// where no size is given, varints (encoding/binary); strings and lists begin with their
// length. The body is: switches, trees, links, hosts, then, for each host, when it was seen, in
// seconds of Unix time.
const (
	magic   = "weirfact"
	format  = 3
	formats = 1 // the oldest version that is read: 1 has no links that are down, 1 and 2 have no widths of links
	headLen = len(magic) + 2
	linkLen = 12 + 12 + 1
)

// isDown is set in the state number of a link that is down.
const isDown = 0x80

// widthShift is where the link's width, of 2 bits, begins in the state number.
const widthShift = 4

// states are the numbers of link states; others are 0.
var states = []netview.LinkState{netview.LinkConfirmed, netview.LinkUnconfirmed, netview.LinkIndirect, netview.LinkShared}

func appendHead(b []byte) []byte { return binary.BigEndian.AppendUint16(append(b, magic...), format) }

func appendSwitch(b []byte, s *netview.Switch) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(s.DPID))
	for _, text := range [...]string{s.Name, s.Address, s.Desc.Manufacturer, s.Desc.Hardware, s.Desc.Software,
		s.Desc.Serial, s.Desc.Datapath} {
		b = appendString(b, text)
	}
	b = append(b, byte(s.Version), s.Tables)
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, s.Buffers), s.Capabilities)
	b = binary.AppendUvarint(b, uint64(len(s.Ports)))
	for i := range s.Ports {
		p := &s.Ports[i]
		b = append(binary.BigEndian.AppendUint32(b, p.Number), p.MAC[:]...)
		up := byte(0)
		if p.Up {
			up = 1
		}
		b = binary.AppendUvarint(append(b, up, byte(p.Role)), p.SpeedMbps)
		b = appendString(b, p.Name)
	}
	return b
}

func appendTree(b []byte, t Tree) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(t.DPID))
	return appendNumbers(appendNumbers(b, t.Links), t.Off)
}

func appendLink(b []byte, l *netview.Link) []byte {
	state := byte(max(slices.Index(states, l.State), 0)) | byte(l.Width)<<widthShift
	if !l.Up {
		state |= isDown
	}
	return append(appendPoint(appendPoint(b, l.Src), l.Dst), state)
}

func appendHost(b []byte, h *netview.Host) []byte {
	b = binary.BigEndian.AppendUint16(append(b, h.MAC[:]...), h.VLAN)
	b = binary.AppendUvarint(appendPoint(b, h.At), uint64(len(h.IPs)))
	for _, ip := range h.IPs {
		b = appendString(b, string(ip.AsSlice()))
	}
	return b
}

func appendPoint(b []byte, p netview.Point) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, uint64(p.DPID)), p.Port)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendNumbers(b []byte, list []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, n := range list {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}
