package warmstart

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// The errors of Parse.
var (
	ErrDamaged = errors.New("not a file of remembered facts, or cut short, or changed")
	ErrFormat  = errors.New("a file of remembered facts of another format")
)

// Parse reads a file. The error is ErrDamaged or ErrFormat; strings and lists are copies.
func Parse(file []byte) (*Facts, error) {
	end := len(file) - sha256.Size
	if end < headLen || string(file[:len(magic)]) != magic {
		return nil, ErrDamaged
	}
	if sum := sha256.Sum256(file[:end]); string(sum[:]) != string(file[end:]) {
		return nil, ErrDamaged
	}
	if v := binary.BigEndian.Uint16(file[len(magic):]); v < formats || v > format {
		return nil, ErrFormat
	}
	r := &reader{b: file[headLen:end]}
	f := new(Facts)
	for range r.count(8 + 7 + 2 + 8 + 1) {
		f.Switches = append(f.Switches, r.sw())
	}
	for range r.count(8 + 2) {
		f.Trees = append(f.Trees, Tree{netview.DPID(r.u64()), r.numbers(), r.numbers()})
	}
	for range r.count(12 + 12 + 1) {
		f.Links = append(f.Links, r.link())
	}
	for range r.count(8 + 12 + 1) {
		f.Hosts = append(f.Hosts, r.host())
	}
	for _, h := range f.Hosts {
		h.Seen = time.Unix(r.varint(), 0)
	}
	if r.bad || len(r.b) > 0 {
		return nil, ErrDamaged
	}
	return f, nil
}

// reader decodes a body. After its end it returns zeros and is bad.
type reader struct {
	b   []byte
	bad bool
}

var zeros [16]byte

// next returns the next n bytes, at most 16 if there are fewer.
func (r *reader) next(n int) []byte {
	if n > len(r.b) {
		r.b, r.bad = nil, true
		return zeros[:min(n, len(zeros))]
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) u8() uint8   { return r.next(1)[0] }
func (r *reader) u16() uint16 { return binary.BigEndian.Uint16(r.next(2)) }
func (r *reader) u32() uint32 { return binary.BigEndian.Uint32(r.next(4)) }
func (r *reader) u64() uint64 { return binary.BigEndian.Uint64(r.next(8)) }

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	r.skip(n)
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	r.skip(n)
	return v
}

// skip leaves out a varint of n bytes; there was none if n is not positive, and its value is 0.
func (r *reader) skip(n int) {
	if n <= 0 {
		r.b, r.bad = nil, true
		return
	}
	r.b = r.b[n:]
}

// count returns the length of a list whose elements take at least least bytes each; a length that
// cannot be there is 0.
func (r *reader) count(least int) int {
	n := r.uvarint()
	if n > uint64(len(r.b)/least) {
		r.b, r.bad = nil, true
		return 0
	}
	return int(n)
}

func (r *reader) text() string { return string(r.next(r.count(1))) }

func (r *reader) numbers() []uint32 {
	list := make([]uint32, 0, r.count(4))
	for range cap(list) {
		list = append(list, r.u32())
	}
	return list
}

func (r *reader) point() netview.Point {
	return netview.Point{DPID: netview.DPID(r.u64()), Port: r.u32()}
}

func (r *reader) link() *netview.Link {
	l := &netview.Link{LinkKey: netview.LinkKey{Src: r.point(), Dst: r.point()}}
	state := r.u8()
	l.Up, l.Width = state&isDown == 0, min(netview.LinkWidth(state>>widthShift&3), netview.WidthFull)
	l.State = states[min(int(state&(1<<widthShift-1)), len(states)-1)]
	return l
}

func (r *reader) mac() packet.MAC { return packet.MAC(r.next(6)) }

func (r *reader) sw() *netview.Switch {
	s := &netview.Switch{DPID: netview.DPID(r.u64()), State: netview.SwitchDisconnected}
	for _, text := range [...]*string{
		&s.Name, &s.Address, &s.Desc.Manufacturer, &s.Desc.Hardware, &s.Desc.Software, &s.Desc.Serial, &s.Desc.Datapath,
	} {
		*text = r.text()
	}
	s.Version, s.Tables, s.Buffers, s.Capabilities = openflow.Version(r.u8()), r.u8(), r.u32(), r.u32()
	for range r.count(4 + 6 + 2 + 2) {
		s.Ports = append(s.Ports, r.port())
	}
	return s
}

func (r *reader) port() netview.Port {
	p := netview.Port{Number: r.u32(), MAC: r.mac(), Up: r.u8() != 0, Role: netview.PortRole(r.u8()),
		SpeedMbps: r.uvarint(), Name: r.text()}
	if p.Role > netview.PortBlocked {
		p.Role = netview.PortUnknown
	}
	return p
}

func (r *reader) host() *netview.Host {
	h := &netview.Host{HostID: netview.HostID{MAC: r.mac(), VLAN: r.u16() & packet.VLANMask}, At: r.point(),
		State: netview.HostUnconfirmed}
	for range r.count(5) {
		ip, ok := netip.AddrFromSlice([]byte(r.text()))
		if !ok {
			r.bad = true
			continue
		}
		h.IPs = append(h.IPs, ip)
	}
	slices.SortFunc(h.IPs, netip.Addr.Compare)
	h.IPs = slices.Compact(h.IPs)
	return h
}
